// Which settings of a folder ask for more than counts without them (G2), each with what it means for a person who
// decides. `freeSettings` names what a folder may set by itself; what stands in neither list is asked for.
import { resolve } from 'node:path'
import { isInside } from '../files/is-inside.ts'
import { nearestRealPath } from '../files/real-path.ts'
import { equalJson, isPlainObject } from '../tool/json.ts'
import { type Config, defaultConfig } from './config.ts'
import { hidePassword } from './hide-password.ts'
import { keepMs } from './keep-ms.ts'
import { stateFolderOf } from './state-folder.ts'

type Values = { readonly [key: string]: unknown }

/** What stands in place of a value while it is not accepted: nothing, or the part that asks for nothing. */
export interface Asked {
  readonly what: string
  readonly kept?: unknown
}

/** A part of the settings; null when its value asks for nothing beyond `base`, what counts without this folder. */
export type Rule = (value: unknown, around: Around) => Asked | string | null

export interface Around {
  /** What the user's own settings say at this place, else the default. */
  readonly base: unknown
  /** The user's own settings over the defaults. */
  readonly user: Values
  /** The folder that asks. */
  readonly folder: string
}

const loopback = new Set(['127.0.0.1', 'localhost', '::1', '[::1]'])
const listed =
  (what: string): Rule =>
  (value) =>
    Array.isArray(value) && value.length > 0
      ? `${what}: ${value.map((item) => nameOf(item)).join(', ')}`
      : null
const whenSet =
  (what: string): Rule =>
  (value) =>
    value === null ? null : `${what} ${shownAddress(value)}`
/** Asked for when the folder wants something that stands before what counts without it. */
const looser =
  (order: readonly string[], what: string): Rule =>
  (value, { base }) => {
    const [asked, counts] = [value, base].map((one) => order.indexOf(String(one)))
    return asked! >= 0 && asked! < counts! ? `${what} (${String(value)})` : null
  }
const more =
  (what: string): Rule =>
  (value, { base }) =>
    Number(value) > Number(base) ? `${what}: ${String(value)}` : null
/** Asked for when the folder wants less of something than counts without it. */
const less =
  (what: string): Rule =>
  (value, { base }) =>
    Number(value) < Number(base) ? `${what}: ${String(value)}` : null
/** Asked for when the folder has another value than what counts without it. */
const other =
  (what: string): Rule =>
  (value, { base }) =>
    equalJson(value, base) ? null : `${what}: ${String(value)}`
/** An entry that the user's own settings have under the same name, and that says something else. */
const insteadOfYours =
  (what: string): Rule =>
  (value, { base }) =>
    base === undefined || equalJson(value, base) ? null : `${what} in place of yours`
/** A list that protects: what the user's own one names stays in it. */
const lacking =
  (what: string): Rule =>
  (value, { base }) => {
    const missing = [base].flat().filter((item) => ![value].flat().includes(item))
    if (missing.length === 0) return null
    return { what: `${what} ${missing.join(', ')}`, kept: [...missing, ...[value].flat()] }
  }
const shorter =
  (what: string): Rule =>
  (value, { base }) => {
    const [asked, counts] = [value, base].map((time) => keepMs(String(time)) ?? Number.POSITIVE_INFINITY)
    return asked! < counts! ? `${what} after ${String(value)}` : null
  }
const beyond =
  (whose: string): Rule =>
  (value, { user }) => {
    const list = [value].flat().map(String)
    const asked = list.filter((grant) => isBeyond(grant, user))
    const kept = list.filter((grant) => !asked.includes(grant))
    return asked.length > 0 ? { what: `${whose} may ${asked.join(', ')}`, kept } : null
  }
/** Lists for some tools stand beside and above those of the user: one of theirs that narrows must not be undone. */
const beyondForTools: Rule = (value, around) => {
  const yours = isNarrowed(around.user)
  if (!yours || equalJson(value, around.base)) return beyond('tools')(value, around)
  return `tools may ${[value].flat().join(', ')}, whatever your own settings say of them`
}
/** Folders that lie outside of the one that asks, wherever links lead. */
const outside =
  (what: string): Rule =>
  (value, { folder }) => {
    const left = [value].flat().filter((item) => leadsOut(item, folder))
    const inside = [value].flat().filter((item) => !left.includes(item))
    const kept = inside.length > 0 ? inside : undefined
    return left.length > 0 ? { what: `${what}: ${left.map(nameOf).join(', ')}`, kept } : null
  }

const policies = ['direct', 'commit', 'hold', 'discard']

export const askRules: readonly (readonly [string, Rule])[] = [
  ['trust', looser(['off', 'warn', 'require'], 'no look at signatures')],
  ['sandbox', looser(['off', 'preferred', 'required'], 'no fence around tools')],
  ['sandbox.mode', looser(['off', 'preferred', 'required'], 'no fence around tools')],
  ['sandbox.require', lacking('tools run without what you require:')],
  ['sandbox.engine', other('another fence')],
  ['roots', outside('tools of folders outside of it')],
  ['grants.default', beyond('every tool')],
  ['grants.tools.*', beyondForTools],
  ['effects.default', looser(policies, 'what tools write counts sooner')],
  [
    'effects.tools.*',
    (value, { user }) =>
      looser(policies, 'what it writes counts sooner')(value, { ...none, base: strictest(user) }),
  ],
  ['effects.files', more('one call changes more files')],
  ['effects.bytes', more('one call writes more bytes')],
  ['effects.keep.days', less('what files held before is kept for fewer days')],
  ['effects.keep.bytes', other('bytes kept of what files held before')],
  [
    'effects.onConflict',
    looser(['overwrite', 'merge', 'refuse'], 'tools write over what others changed meanwhile'),
  ],
  ['effects.onStop', looser(['drop', 'hold'], 'what a stopped call wrote is not held for you')],
  ['approve', lacking('nobody is asked about')],
  ['approvals.timeoutMs', more('a call waits longer for a decision')],
  [
    'tools.*',
    (value) => (isPlainObject(value) ? `rights of its own: ${Object.keys(value).join(', ')}` : null),
  ],
  ['skills.host', looser(['always', 'vouched', 'never'], 'code of skills runs without a fence')],
  ['skills.allowScripts', (value) => (value === true ? "skills' scripts run to fill in parameters" : null)],
  ['skills.directory', outside('skills of a folder outside of it')],
  ['skills.extraDirs', outside('skills of folders outside of it')],
  ['skills.paths', outside('skills of folders outside of it')],
  ['skills.disabled', lacking('skills that you left out:')],
  [
    'skills.enabled',
    (value, { base }) => {
      const extra = value === null ? ['all'] : [value].flat().filter((name) => ![base].flat().includes(name))
      return base === null || extra.length === 0 ? null : `skills besides yours: ${extra.join(', ')}`
    },
  ],
  ['skills.timeoutMs', more('commands of skills take more time')],
  ['skills.maxOutputBytes', more('commands of skills print more')],
  ['skills.contextBytes', more('skills take more of a prompt')],
  ['skills.nonlocals.*', insteadOfYours('a start value')],
  ['offers.*', insteadOfYours('a selection of tools')],
  ['system', (value, { base }) => (value === true && base === false ? 'the tools that ship' : null)],
  ['env.expose', listed('tools see environment variables')],
  ['skills.env', listed('skills see environment variables')],
  ['skills.promptEnv', listed('prompts see environment variables')],
  ['secrets.env', listed('environment variables are given out as secrets')],
  ['secrets.file', whenSet('the key of the secrets is')],
  [
    'store',
    (value, { base, folder }) =>
      value === base || (base === defaultConfig.store && isOwnStore(value, folder))
        ? null
        : `records and events go to ${shownAddress(value)}`,
  ],
  ['bus', (value, { base }) => (value === base ? null : `events go over ${shownAddress(value)}`)],
  ['fleet.name', whenSet('this machine is called')],
  ['fleet.concurrency', more('more requests at once')],
  ['fleet.tools.*', (value, { user }) => more('more of it at once')(value, { ...none, base: fewest(user) })],
  ['serve.host', (value) => (loopback.has(String(value)) ? null : `a server on ${String(value)}`)],
  ['serve.allowedHosts', listed('a server that answers to the names')],
  ['serve.tokens', listed('tokens that open the server')],
  ['serve.issuer', whenSet('the server opens for tokens of')],
  ['serve.publicUrl', whenSet('clients are sent to')],
  ['models.*', modelWords],
  ['mcp.servers.*', (value) => `an MCP server: ${serverWords(value)}`],
  ['mcp.clientDocument', whenSet('log-ins to servers in the name of')],
  ['mcp.listTimeoutMs', more('a listing waits longer for servers')],
  ['apis.*', apiWords],
  ['plugins', listed('plugins that run as you do')],
  ['deno.path', whenSet('tools run with the program')],
  ['limits.timeoutMs', more('calls take more time')],
  ['limits.memoryMb', more('tools take more memory')],
  ['limits.processes', more('tools start more processes')],
  ['limits.outputBytes', more('results are larger')],
  ['schedules.engine', looser(['builtin', 'off'], 'schedules run')],
  ['audit.params', other('arguments in records')],
  ['runs.keep', shorter('records of runs are removed')],
  ['events.keep', shorter('events are removed')],
  ...[
    'concurrentCalls',
    'workersPerTool',
    'callsPerWorker',
    'idleMs',
    'loadTimeoutMs',
    'outputBytes',
    'logBytes',
    'logLineBytes',
    'apiBytes',
  ].map((key) => [`deno.${key}`, more('tool code takes more')] as const),
]

/** What a folder sets without a yes, whatever the value: it says how its own tools are shown, and opens nothing. */
export const freeSettings: readonly string[] = ['$schema', 'skills.contextMode', 'skills.tools', 'serve.port']

const none: Around = { base: undefined, user: {}, folder: '' }

/** How a person reads what would be started or contacted. */
export function serverWords(value: unknown): string {
  if (!isPlainObject(value)) return 'unreadable'
  const { command, args, env, headers, auth } = value
  const address = value['url'] ?? value['serverUrl'] ?? value['httpUrl'] ?? 'unreadable'
  const target =
    typeof command === 'string' ? [command, ...(Array.isArray(args) ? args : [])].join(' ') : String(address)
  const secret = isPlainObject(auth) && typeof auth['secret'] === 'string' ? [auth['secret']] : []
  const given = [...variablesOf(env), ...variablesOf(headers), ...secret]
  const fence = value['sandbox'] === 'off' ? ', without a fence' : ''
  return given.length > 0 ? `${target} (with ${given.join(', ')} of yours)${fence}` : `${target}${fence}`
}

/** Names of variables and secrets that an entry wants for its environment or headers. */
function variablesOf(named: unknown): string[] {
  const texts = isPlainObject(named) ? Object.values(named).filter((value) => typeof value === 'string') : []
  return texts.flatMap((text) => [...text.matchAll(/\$\{(?:env:|secret:)?(\w+)/g)].map((match) => match[1]!))
}

/** A model costs money and hears everything; one on this machine without a key does not. */
function modelWords(value: unknown, { base, user }: Around): string | null {
  if (equalJson(value, base)) return null
  // Another name for a model of the user's spends the user's money.
  if (!isPlainObject(value))
    return Object.keys(user['models'] as object).length > 0 ? `the model ${String(value)}` : null
  if (base !== undefined)
    return `a model in place of yours, at ${shownAddress(value['baseURL'] ?? value['provider'])}`
  const { provider, baseURL, apiKey } = value
  if (provider === 'ollama' && baseURL === undefined && apiKey === undefined) return null
  const key = apiKey === undefined ? '' : `, with ${String(apiKey)} of yours`
  return `a model at ${shownAddress(baseURL ?? provider)}${key}`
}

/** A document of the folder is as any definition in it; one from elsewhere, or in place of the user's, is not. */
function apiWords(value: unknown, around: Around): string | null {
  if (!isPlainObject(value)) return null
  if (leadsOut(value['spec'], around.folder)) return `an API from outside of it: ${String(value['spec'])}`
  return insteadOfYours('an API')(value, around) as string | null
}

/** True for a grant of more than reading and writing inside the crib, or than what the user's own settings give all. */
function isBeyond(grant: string, user: Values): boolean {
  // It only takes away.
  if (grant === 'only') return false
  const [, capability] = /^(fs\.(?:read|write))(?::(?![/~])(?!.*\.\.).*)?$/.exec(grant) ?? []
  const given = [(user['grants'] as Partial<Config['grants']>).default].flat()
  return capability === undefined
    ? !given.includes(grant)
    : !given.includes(capability) && !given.includes(grant)
}

/** True when the user's own settings hold some tools to less than all have. */
function isNarrowed(user: Values): boolean {
  const { tools } = user['grants'] as Partial<Config['grants']>
  return Object.values(tools ?? {}).some((list) => list.some((grant) => /^(only$|fs\.\w+:)/.test(grant)))
}

/** The strictest limit that the user's own settings name: another pattern must not take it back. */
function fewest(user: Values): number {
  const { tools } = user['fleet'] as Partial<Config['fleet']>
  return Math.min(Number.POSITIVE_INFINITY, ...Object.values(tools ?? {}))
}

/** The strictest policy that the user's own settings name: another pattern must not take it back. */
function strictest(user: Values): string {
  const { default: all, tools } = user['effects'] as Partial<Config['effects']>
  return [String(all), ...Object.values(tools ?? {})].reduce((a, b) =>
    policies.indexOf(b) > policies.indexOf(a) ? b : a,
  )
}

function leadsOut(item: unknown, folder: string): boolean {
  const path = isPlainObject(item) ? (item['internal'] ?? item['external']) : item
  if (typeof path !== 'string') return false
  return path.startsWith('~') || !isInside(nearestRealPath(resolve(folder, path)), nearestRealPath(folder))
}

function isOwnStore(value: unknown, folder: string): boolean {
  const store = String(value)
  return !/^[a-z]+:/i.test(store) && isInside(resolve(folder, store), stateFolderOf(folder))
}

function nameOf(item: unknown): string {
  const name = isPlainObject(item) ? (item['name'] ?? item['internal'] ?? item['external']) : item
  return String(name ?? 'unnamed')
}

function shownAddress(value: unknown): string {
  return String(hidePassword(String(value)))
}
