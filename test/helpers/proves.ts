// Cites the claims of docs/security.md that a test proves. The citation is read from the source by
// `security-claims.test.ts`, which fails when a claim has no test or a test cites no claim.

/**
 * @example
 * it('reaches no private address', () => {
 *   proves('net-private')
 * })
 */
export function proves(...ids: readonly string[]): void {
  for (const id of ids)
    if (!/^[a-z][a-z0-9-]*$/.test(id)) throw new Error(`${JSON.stringify(id)} is no id of a security claim`)
}
