// Commands with a word after them (`crumbs list`, `secrets set`): finding the action by its word.
import { nearNames } from '../../tool/near-names.ts'
import { UsageError } from './command.ts'

/** The action of a word; throws UsageError with the nearest one when there is none. */
export function actionOf<T>(
  command: string,
  actions: { readonly [word: string]: T },
  word: string | undefined,
): T {
  const words = Object.keys(actions)
  if (word !== undefined && Object.hasOwn(actions, word)) return actions[word]!
  const near = word === undefined ? undefined : nearNames(word, words, 1)[0]
  throw new UsageError(
    word === undefined ? `\`${command}\` needs an action.` : `There is no "${command} ${word}".`,
    near ? `Did you mean "${command} ${near}"?` : `Use one of ${words.join(', ')}.`,
  )
}

/** The argument an action cannot do without. */
export function neededArgument(value: string | undefined, action: string, what: string): string {
  if (value !== undefined && value !== '') return value
  throw new UsageError(`\`${action}\` needs ${what}.`, `See \`toolcrib ${action.split(' ')[0]} -h\`.`)
}

/** A whole number of an option; undefined when it was not given. */
export function countOption(given: unknown, name: string, least = 1): number | undefined {
  if (given === undefined) return undefined
  const value = Number(given)
  if (/^\d{1,15}$/.test(String(given)) && value >= least) return value
  throw new UsageError(`${name} takes a whole number of at least ${least}, not "${String(given)}".`)
}

/** Gathers an option that may be given several times. */
export function repeated(value: string, before: readonly string[] = []): string[] {
  return [...before, value]
}
