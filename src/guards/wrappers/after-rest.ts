/** What a wrapper does when the rest of the chain is through, without making it wait where it did not. */
export function afterRest(rest: unknown, look: () => void): void | Promise<void> {
  return rest instanceof Promise ? rest.then(look) : look()
}
