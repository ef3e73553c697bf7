// How a foreign MCP server is reached, as the files say it; `${VAR}` stands for a variable of the host.
import type { McpServerConfig } from '../../config/config.ts'
import { isPlainObject, type JsonObject } from '../../tool/json.ts'
import type { McpServerSpec } from '../../tool/plans/mcp-plan.ts'

export interface SpecFault {
  /** Key of the entry it is about; absent: the entry as a whole. */
  readonly key?: string
  readonly message: string
  readonly hint: string
}

/** Reads one entry of `mcpServers`; a fault says what is wrong with it. */
export function readServerSpec(
  name: string,
  given: unknown,
  isOperators: boolean,
): McpServerSpec | SpecFault {
  if (!isPlainObject(given))
    return { message: `The server "${name}" is not an object.`, hint: 'Give it a command or a url.' }
  const { command, args, env, cwd, url, headers, type } = given
  const isHttp = url !== undefined
  if (type === 'sse')
    return {
      key: 'type',
      message: `"${name}" uses the old SSE transport.`,
      hint: 'Use its streamable HTTP address.',
    }
  if (!isHttp && (typeof command !== 'string' || command === ''))
    return { message: `The server "${name}" has neither a command nor a url.`, hint: 'Give it one of them.' }
  if (isHttp && !isAddress(url))
    return {
      key: 'url',
      message: `The url of "${name}" is not an http or https address.`,
      hint: 'Write it in full.',
    }
  if (args !== undefined && !(Array.isArray(args) && args.every((arg) => typeof arg === 'string')))
    return {
      key: 'args',
      message: `args of "${name}" must be a list of texts.`,
      hint: 'Put each argument in quotes.',
    }
  for (const [key, value] of Object.entries({ env, headers })) {
    if (
      value !== undefined &&
      !(isPlainObject(value) && Object.values(value).every((item) => typeof item === 'string'))
    )
      return {
        key,
        message: `${key} of "${name}" must map names to texts.`,
        hint: 'Put each value in quotes.',
      }
  }
  if (cwd !== undefined && typeof cwd !== 'string')
    return { key: 'cwd', message: `cwd of "${name}" must be a text.`, hint: 'Name a folder.' }
  const timeoutMs = given['timeoutMs'] ?? given['timeout']
  return {
    name,
    transport: isHttp ? 'http' : 'stdio',
    ...(isHttp
      ? { url: url as string, ...(headers ? { headers: headers as Record<string, string> } : {}) }
      : {
          command: command as string,
          ...(args ? { args: args as string[] } : {}),
          ...(env ? { env: env as Record<string, string> } : {}),
          ...(cwd ? { cwd: cwd as string } : {}),
        }),
    ...(typeof timeoutMs === 'number' && timeoutMs > 0 ? { timeoutMs } : {}),
    ...(typeof given['concurrency'] === 'number' ? { concurrency: given['concurrency'] } : {}),
    isOperators,
  }
}

export function isFault(read: McpServerSpec | SpecFault): read is SpecFault {
  return 'message' in read
}

/** The servers of `toolcrib.yaml`. */
export function configuredSpecs(servers: {
  readonly [name: string]: McpServerConfig
}): (McpServerSpec | SpecFault)[] {
  return Object.entries(servers)
    .filter(([, server]) => (server as { disabled?: boolean }).disabled !== true)
    .map(([name, server]) => readServerSpec(name, server as unknown as JsonObject, true))
}

function isAddress(url: unknown): boolean {
  return typeof url === 'string' && (/^https?:\/\/./.test(url) || url.includes('${'))
}
