// What a folder's own toolcrib.yaml asks for beyond the defaults (G2): each part on its own, so that a change of one
// asks again for that one only.
import { dirname } from 'node:path'
import { isPlainObject, type Json, jsonDigest } from '../tool/json.ts'
import { type Asked, askRules, freeSettings } from './ask-rules.ts'
import { mergeConfig } from './merge-config.ts'

type Values = { readonly [key: string]: unknown }

/** One thing a folder asks for. */
export interface Ask {
  /** Where it stands in the file, as a dotted key, or `server <name>` for a server that a file brings. */
  readonly key: string
  /** In words, for a person who decides. */
  readonly what: string
  readonly file: string
  readonly line?: number
  /** Changes when what is asked for does. */
  readonly digest: string
}

/** Everything that settings ask for beyond what counts without them: the defaults, and the user's own settings. */
export function asksOf(values: Values, file: string, own: Values = {}): Ask[] {
  return askedOf(values, file, own).map(({ path: _, kept: __, ...ask }) => ask)
}

function askedOf(values: Values, file: string, own: Values): (Ask & Asked & { readonly path: string[] })[] {
  const user = mergeConfig([{ from: 'user', values: own }]).config as unknown as Values
  const rest = unjudged(values, []).map(
    (steps) => [steps, () => 'a setting that only you may change'] as const,
  )
  return [...judgedBy, ...rest].flatMap(([steps, rule]) =>
    at(values, steps, []).flatMap(([path, value]) => {
      const key = path.join('.')
      const base = path.reduce<unknown>((part, key) => (isPlainObject(part) ? part[key] : undefined), user)
      const counts = key === 'sandbox' ? (base as Values)['mode'] : base
      const found = rule(value, { base: counts, user, folder: dirname(file) })
      if (found === null) return []
      const { what, kept } = typeof found === 'string' ? { what: found, kept: undefined } : found
      const subject = steps.at(-1) === '*' ? `${path.at(-1)}: ${what}` : what
      return [{ key, what: subject, file, digest: jsonDigest({ [key]: value as Json }), path, kept }]
    }),
  )
}

/** The settings without some of what they ask for; of a list only what it asks for goes, what narrows stays. */
export function withoutAsks(values: Values, left: readonly Ask[], own: Values = {}): Values {
  const keys = new Map(left.map((ask) => [ask.key, ask.file]))
  const [file] = keys.values()
  if (file === undefined) return values
  return askedOf(values, file, own)
    .filter(({ key }) => keys.has(key))
    .reduce<Values>((rest, { path, kept }) => replaced(rest, path, kept), values)
}

const judgedBy = askRules.map(([pattern, rule]) => [pattern.split('.'), rule] as const)
const named = [...judgedBy.map(([steps]) => steps), ...freeSettings.map((pattern) => pattern.split('.'))]

/** Places that no rule and no list names, as those of a setting that is new: nobody said that they are harmless. */
function unjudged(values: Values, above: readonly string[]): string[][] {
  return Object.entries(values).flatMap(([key, value]) => {
    const path = [...above, key]
    const steps = named.filter((pattern) =>
      path.every((step, index) => pattern[index] === '*' || pattern[index] === step),
    )
    if (isPlainObject(value) && steps.some(({ length }) => length > path.length)) return unjudged(value, path)
    return value === undefined || steps.some(({ length }) => length === path.length) ? [] : [path]
  })
}

function at(value: unknown, pattern: readonly string[], path: readonly string[]): [string[], unknown][] {
  const [step, ...rest] = pattern
  if (step === undefined) return value === undefined ? [] : [[[...path], value]]
  if (!isPlainObject(value)) return []
  const keys = step === '*' ? Object.keys(value) : Object.hasOwn(value, step) ? [step] : []
  return keys.flatMap((key) => at(value[key], rest, [...path, key]))
}

/** The settings with another value at a place, or none. */
function replaced(values: Values, [key, ...rest]: readonly string[], kept: unknown): Values {
  const { [key!]: inner, ...others } = values
  if (rest.length > 0)
    return isPlainObject(inner) ? { ...others, [key!]: replaced(inner, rest, kept) } : others
  return kept === undefined ? others : { ...others, [key!]: kept }
}
