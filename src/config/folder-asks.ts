// What a folder's own toolcrib.yaml asks for beyond the defaults (G2): each part on its own, so that a change of one
// asks again for that one only.
import { isPlainObject, type Json, jsonDigest } from '../tool/json.ts'

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

/** A part of the settings with what it means; null when its value asks for nothing beyond the defaults. */
type Rule = (value: unknown) => string | null

const loopback = new Set(['127.0.0.1', 'localhost', '::1', '[::1]'])
const names = (value: unknown): string => [value].flat().join(', ')
const listed =
  (what: string): Rule =>
  (value) =>
    Array.isArray(value) && value.length > 0
      ? `${what}: ${value.map((item) => nameOf(item)).join(', ')}`
      : null

const rules: readonly (readonly [string, Rule])[] = [
  ['trust', (value) => (value === 'off' ? 'no look at signatures (trust: off)' : null)],
  ['sandbox', (value) => (value === 'off' ? 'no fence around tools (sandbox: off)' : null)],
  ['sandbox.mode', (value) => (value === 'off' ? 'no fence around tools (sandbox: off)' : null)],
  ['grants.default', (value) => (isBeyond(value) ? `every tool may ${names(value)}` : null)],
  ['grants.tools.*', (value) => (isBeyond(value) ? `tools may ${names(value)}` : null)],
  ['effects.default', (value) => (value === 'direct' ? 'tools write past any layer (direct)' : null)],
  ['effects.tools.*', (value) => (value === 'direct' ? 'it writes past any layer (direct)' : null)],
  [
    'effects.onConflict',
    (value) => (value === 'overwrite' ? 'tools write over what others changed meanwhile' : null),
  ],
  [
    'tools.*',
    (value) => (isPlainObject(value) ? `rights of its own: ${Object.keys(value).join(', ')}` : null),
  ],
  [
    'skills.host',
    (value) => (value === 'always' ? 'the code of every skill runs without a fence (skills.host)' : null),
  ],
  ['env.expose', listed('tools see environment variables')],
  ['skills.env', listed('skills see environment variables')],
  ['skills.promptEnv', listed('prompts see environment variables')],
  ['secrets.env', listed('environment variables are given out as secrets')],
  ['serve.host', (value) => (loopback.has(String(value)) ? null : `a server on ${String(value)}`)],
  ['serve.allowedHosts', listed('a server that answers to the names')],
  ['serve.tokens', listed('tokens that open the server')],
  ['serve.issuer', (value) => (value === null ? null : `tokens of ${String(value)} open the server`)],
  ['mcp.servers.*', (value) => `an MCP server: ${serverWords(value)}`],
  ['plugins', listed('plugins that run as you do')],
]

/** Everything that settings ask for beyond the defaults. */
export function asksOf(values: Values, file: string): Ask[] {
  return rules.flatMap(([pattern, rule]) =>
    at(values, pattern.split('.'), []).flatMap(([path, value]) => {
      const what = rule(value)
      if (what === null) return []
      const key = path.join('.')
      const subject = pattern.endsWith('*') ? `${path.at(-1)}: ${what}` : what
      return [{ key, what: subject, file, digest: jsonDigest({ [key]: value as Json }) }]
    }),
  )
}

/** The settings without some of what they ask for. */
export function withoutAsks(values: Values, asks: readonly Ask[]): Values {
  const paths = rules.flatMap(([pattern]) => at(values, pattern.split('.'), []).map(([path]) => path))
  const left = new Set(asks.map((ask) => ask.key))
  return paths
    .filter((path) => left.has(path.join('.')))
    .reduce<Values>((rest, path) => without(rest, path), values)
}

/** How a person reads what would be started or contacted. */
export function serverWords(value: unknown): string {
  if (!isPlainObject(value)) return 'unreadable'
  if (typeof value['command'] !== 'string')
    return String(value['url'] ?? value['serverUrl'] ?? value['httpUrl'] ?? 'unreadable')
  const command = [value['command'], ...(Array.isArray(value['args']) ? value['args'] : [])].join(' ')
  const given = variablesOf(value['env'])
  return given.length > 0 ? `${command} (with ${given.join(', ')} of yours)` : command
}

/** Names of variables and secrets that an entry wants for its environment. */
function variablesOf(env: unknown): string[] {
  const texts = isPlainObject(env) ? Object.values(env).filter((value) => typeof value === 'string') : []
  return texts.flatMap((text) => [...text.matchAll(/\$\{(?:env:|secret:)?(\w+)/g)].map((match) => match[1]!))
}

/** True when a list holds more than reading and writing inside the crib. */
function isBeyond(value: unknown): boolean {
  return [value].flat().some((grant) => !/^fs\.(read|write)(:(?![/~])(?!.*\.\.).*)?$/.test(String(grant)))
}

function nameOf(item: unknown): string {
  return isPlainObject(item) ? String(item['name'] ?? 'unnamed') : String(item)
}

function at(value: unknown, pattern: readonly string[], path: readonly string[]): [string[], unknown][] {
  const [step, ...rest] = pattern
  if (step === undefined) return value === undefined ? [] : [[[...path], value]]
  if (!isPlainObject(value)) return []
  const keys = step === '*' ? Object.keys(value) : Object.hasOwn(value, step) ? [step] : []
  return keys.flatMap((key) => at(value[key], rest, [...path, key]))
}

function without(values: Values, path: readonly string[]): Values {
  const [key, ...rest] = path as [string, ...string[]]
  const { [key]: inner, ...others } = values
  return rest.length > 0 && isPlainObject(inner) ? { ...others, [key]: without(inner, rest) } : others
}
