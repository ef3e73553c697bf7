// How a foreign MCP server is reached, as the files say it; `${VAR}` stands for a variable of the host. Clients write
// their entries in several ways; all of them are read here, and what has no effect in this program is named (U3e).
import type { McpServerConfig } from '../../config/config.ts'
import { isPlainObject } from '../../tool/json.ts'
import type { McpServerSpec } from '../../tool/plans/mcp-plan.ts'
import { readAuth } from './server-auth.ts'
import { splitCommand } from './split-command.ts'

export interface SpecFault {
  /** Key of the entry it is about; absent: the entry as a whole. */
  readonly key?: string
  readonly message: string
  readonly hint: string
}

type Entry = { readonly [key: string]: unknown }

const addressKeys = ['url', 'serverUrl', 'httpUrl'] as const
const honoured = new Set([
  ...addressKeys,
  ...['command', 'args', 'env', 'envFile', 'cwd', 'headers', 'type', 'transport', 'disabled', 'enabled'],
  ...['timeout', 'timeoutMs', 'concurrency', 'shared', 'auth', 'sandbox', 'limits'],
  ...['includeTools', 'excludeTools'],
])
/** What says nothing of a server that is elsewhere, and of one that is started here. */
const ofPrograms = ['command', 'args', 'env', 'envFile', 'cwd', 'sandbox']
const ofAddresses = ['headers']
/** Words for people, which no program acts on. */
const notes = new Set(['name', 'description', '$schema', 'icon', 'gallery', 'version'])
const sandboxModes = ['required', 'preferred', 'off']
const limitNames = ['timeoutMs', 'memoryMb', 'processes', 'outputBytes']
const httpTypes = new Set(['http', 'sse', 'streamable-http', 'streamableHttp', 'streamable_http'])

/** Reads one entry of `mcpServers`; a fault says what is wrong with it. */
export function readServerSpec(
  name: string,
  given: unknown,
  isOperators: boolean,
): McpServerSpec | SpecFault {
  if (!isPlainObject(given))
    return { message: `The server "${name}" is not an object.`, hint: 'Give it a command or a url.' }
  const fault = faultOf(name, given)
  if (fault) return fault
  const auth = readAuth(name, given)
  if (auth && 'message' in auth) return auth
  const address = addressKeys.find((key) => given[key] !== undefined)
  const timeoutMs = given['timeoutMs'] ?? given['timeout']
  const { sandbox, limits } = given as Pick<McpServerSpec, 'sandbox' | 'limits'>
  return {
    name,
    ...(address ? httpPart(given, given[address] as string) : stdioPart(given)),
    auth,
    timeoutMs: typeof timeoutMs === 'number' && timeoutMs > 0 ? timeoutMs : undefined,
    concurrency: typeof given['concurrency'] === 'number' ? given['concurrency'] : undefined,
    sandbox,
    limits,
    shared: given['shared'] === true ? true : undefined,
    includeTools: given['includeTools'] as readonly string[] | undefined,
    excludeTools: given['excludeTools'] as readonly string[] | undefined,
    isOperators,
  }
}

/** Keys of an entry that another client acts on and this program does not. */
export function ignoredKeys(given: unknown): string[] {
  if (!isPlainObject(given)) return []
  const isRemote = addressKeys.some((key) => given[key] !== undefined)
  const without = isRemote ? ofPrograms : ofAddresses
  const isIdle = (key: string) => without.includes(key) && Object.keys(Object(given[key])).length > 0
  return Object.keys(given).filter((key) => (!honoured.has(key) && !notes.has(key)) || isIdle(key))
}

/** True for an entry that its file switches off. */
export function isSwitchedOff(given: unknown): boolean {
  return isPlainObject(given) && (given['disabled'] === true || given['enabled'] === false)
}

function httpPart(given: Entry, url: string) {
  const isSse = (given['type'] ?? given['transport']) === 'sse'
  return {
    transport: 'http' as const,
    url,
    isSse: isSse || undefined,
    headers: given['headers'] ? (given['headers'] as Record<string, string>) : undefined,
  }
}

function stdioPart(given: Entry) {
  const { env, envFile, cwd } = given
  const [command, args] = commandOf(given)
  return {
    transport: 'stdio' as const,
    command,
    args,
    env: env ? (env as Record<string, string>) : undefined,
    envFile: envFile ? (envFile as string) : undefined,
    cwd: cwd ? (cwd as string) : undefined,
  }
}

/** A command with its arguments in one text is split, unless it is a path that may hold spaces itself. */
function commandOf(given: Entry): [string, readonly string[] | undefined] {
  const command = given['command'] as string
  const args = given['args'] as readonly string[] | undefined
  const [first, ...rest] = splitCommand(command)
  const isWhole = (args !== undefined && args.length > 0) || rest.length === 0 || first!.includes('/')
  return isWhole ? [command, args] : [first!, rest]
}

function faultOf(name: string, given: Entry): SpecFault | undefined {
  const { command, env, envFile, cwd, headers } = given
  const type = given['type'] ?? given['transport']
  const address = addressKeys.find((key) => given[key] !== undefined)
  if (type !== undefined && type !== 'stdio' && !httpTypes.has(String(type)))
    return {
      key: given['type'] === undefined ? 'transport' : 'type',
      message: `"${name}" has the unknown type ${JSON.stringify(type)}.`,
      hint: 'Types are stdio, http, streamable-http and sse.',
    }
  if (!address && (typeof command !== 'string' || command.trim() === ''))
    return { message: `The server "${name}" has neither a command nor a url.`, hint: 'Give it one of them.' }
  if (address && !isAddress(given[address]))
    return {
      key: address,
      message: `The ${address} of "${name}" is not an http or https address.`,
      hint: 'Write it in full.',
    }
  for (const key of ['args', 'includeTools', 'excludeTools'])
    if (given[key] !== undefined && !isTextList(given[key]))
      return {
        key,
        message: `${key} of "${name}" must be a list of texts.`,
        hint: `Put each ${key === 'args' ? 'argument' : 'name'} in quotes.`,
      }
  for (const [key, value] of Object.entries({ env, headers }))
    if (value !== undefined && !isTexts(value))
      return {
        key,
        message: `${key} of "${name}" must map names to texts.`,
        hint: 'Put each value in quotes.',
      }
  for (const [key, value] of Object.entries({ cwd, envFile }))
    if (value !== undefined && typeof value !== 'string')
      return {
        key,
        message: `${key} of "${name}" must be a text.`,
        hint: key === 'cwd' ? 'Name a folder.' : 'Name a file.',
      }
  if (given['sandbox'] !== undefined && !sandboxModes.includes(String(given['sandbox'])))
    return {
      key: 'sandbox',
      message: `sandbox of "${name}" must be one of ${sandboxModes.join(', ')}.`,
      hint: 'Left out, the `sandbox` of the settings counts.',
    }
  if (given['limits'] !== undefined && !isLimits(given['limits']))
    return {
      key: 'limits',
      message: `limits of "${name}" must map ${limitNames.join(', ')} to whole numbers above 0.`,
      hint: 'Left out, the `limits` of the settings count.',
    }
  if (given['shared'] !== undefined && typeof given['shared'] !== 'boolean')
    return {
      key: 'shared',
      message: `shared of "${name}" must be true or false.`,
      hint: 'True lets one process serve everybody; left out, each principal has its own.',
    }
  return undefined
}

function isLimits(value: unknown): boolean {
  return (
    isPlainObject(value) &&
    Object.entries(value).every(
      ([key, limit]) => limitNames.includes(key) && Number(limit) > 0 && Number.isInteger(limit),
    )
  )
}

function isTextList(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

function isTexts(value: unknown): boolean {
  return isPlainObject(value) && Object.values(value).every((item) => typeof item === 'string')
}

export function isFault(read: McpServerSpec | SpecFault): read is SpecFault {
  return 'message' in read
}

/** The servers of `toolcrib.yaml`. */
export function configuredSpecs(servers: {
  readonly [name: string]: McpServerConfig
}): (McpServerSpec | SpecFault)[] {
  return Object.entries(servers)
    .filter(([, server]) => !isSwitchedOff(server))
    .map(([name, server]) => readServerSpec(name, server, true))
}

function isAddress(url: unknown): boolean {
  return typeof url === 'string' && (/^https?:\/\/./.test(url) || url.includes('${'))
}
