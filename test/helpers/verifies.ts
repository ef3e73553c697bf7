// Cites the rules a test proves. The citation is read from the source by `requirements.test.ts`; at run time
// it only makes sure that the id exists.
import { requirements } from './requirements.ts'

const known = new Set<string>(Object.values(requirements).flat())

/**
 * @example
 * it('reads module constants without running the file', () => {
 *   verifies('R9', 'R10')
 * })
 */
export function verifies(...ids: readonly string[]): void {
  for (const id of ids) if (!known.has(id)) throw new Error(`${id} is no requirement of test/requirements.ts`)
}
