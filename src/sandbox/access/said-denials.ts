// What a failed run says of a network that was closed to it, or of a program that it was not shown. Nobody else hears of
// these in an ordinary run (L8). The words are the tool's: they become a proposal that a person judges.
import { findOnPath } from '../../config/find-on-path.ts'
import type { ToolError } from '../../tool/tool-error.ts'
import type { Profile } from '../profile.ts'
import { type Access, hostAndPort } from './access.ts'

const host = `([\\w-]+(?:\\.[\\w-]+)+|\\[?[\\da-fA-F:]{3,}\\]?)`
/** Words of common programs and libraries, with the host and perhaps the port. */
const named = [
  `(?:resolve host(?: address)?|getaddrinfo (?:EAI_AGAIN|ENOTFOUND)):? [‘'"]?${host}`,
  `(?:ENETUNREACH|EHOSTUNREACH|Failed to connect to) ${host}(?::| port )(\\d+)`,
  `ConnectionPool\\(host='${host}', port=(\\d+)\\)`,
  `Requires net access to "${host}(?::(\\d+))?"`,
  `error sending request for url \\(\\w+://${host}(?::(\\d+))?`,
].map((text) => new RegExp(text))
const unnamed =
  /Network is unreachable|name resolution|Name or service not known|ENETUNREACH|EAI_AGAIN|fetch failed|dns error/

/** Words of common runtimes for a program that is not there. */
const lacking = [
  /\b(?:FileNotFoundError|PermissionError): \[Errno \d+\] [\w ]+: '([^'\s]+)'/,
  /\bspawn(?:Sync)? ([^\s]+) (?:ENOENT|EACCES)\b/,
]

/** What a tool that was let in may fail with. */
const failures = new Set(['TOOL_FAILED', 'COMMAND_FAILED', 'UPSTREAM_FAILED'])

/** What was denied to a run that failed. */
export function runDenials(
  { code, message }: Pick<ToolError, 'code' | 'message'>,
  profile: Profile | null,
): Access[] {
  return profile && failures.has(code) ? saidDenials(message, profile) : []
}

/** What was denied, from the end of what a run said. */
export function saidDenials(said: string, profile: Pick<Profile, 'network' | 'subprocess'>): Access[] {
  return [...closedNetwork(said, profile), ...unseenProgram(said, profile)]
}

/** A program of this machine, where the tool may start none. */
function unseenProgram(said: string, { subprocess }: Pick<Profile, 'subprocess'>): Access[] {
  if (subprocess) return []
  const name = lacking.map((words) => words.exec(said)?.[1]).find((found) => found !== undefined)
  const bare = name?.replace(/^\/(?:usr\/)?(?:local\/)?s?bin\//, '')
  const isProgram = bare !== undefined && /^[\w.+-]+$/.test(bare) && findOnPath(bare) !== undefined
  return isProgram ? [{ kind: 'program', what: bare, isDenied: true }] : []
}

function closedNetwork(said: string, { network }: Pick<Profile, 'network'>): Access[] {
  if (network.mode !== 'none') return []
  for (const words of named) {
    const [, name, port = '443'] = words.exec(said) ?? []
    if (name !== undefined)
      return [{ kind: 'host', what: hostAndPort(name.replace(/^\[|\]$/g, ''), Number(port)), isDenied: true }]
  }
  return unnamed.test(said) ? [{ kind: 'capability', what: 'net.http', isDenied: true }] : []
}
