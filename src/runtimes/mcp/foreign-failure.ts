// What a failure of a foreign server is called here: an answer of the server is the tool's failure, everything else is
// the connection's.
import type { Profile } from '../../sandbox/profile.ts'
import type { Json } from '../../tool/json.ts'
import type { Scrubber } from '../../tool/scrub.ts'
import { isToolError, ToolError } from '../../tool/tool-error.ts'
import type { ServerTarget } from './server-target.ts'
import { startHint } from './start-hint.ts'

const maxErrorChars = 16_384

export interface FailedServer {
  readonly target: ServerTarget
  readonly profile: Profile
  /** Why it was cut off, where that was our doing. */
  readonly fault: ToolError | undefined
  /** The last of what it wrote to its standard error. */
  readonly said: string | undefined
  /** Takes out what nobody may read of it. */
  readonly scrubber: Scrubber
}

export function upstreamFailure(
  error: unknown,
  { target, profile, fault, said, scrubber }: FailedServer,
): unknown {
  if (isToolError(error) || (error as Error)?.name === 'AbortError') return error
  if (fault) return fault
  const cause = (error as { cause?: unknown }).cause
  if (isToolError(cause)) return cause
  const { name } = target
  const code = (error as { code?: unknown }).code
  const message = scrubber.text(error instanceof Error ? error.message : String(error))
  if (typeof code === 'number')
    return new ToolError('TOOL_FAILED', `The MCP server "${name}" answered with error ${code}: ${message}`, {
      details: { code, message, ...scrubber.value(dataOf(error)) },
    })
  return new ToolError(
    'UPSTREAM_FAILED',
    `The MCP server "${name}" failed: ${message}${said ? `\n${said}` : ''}`,
    { hint: startHint(target, profile, said), retryable: true, details: { server: name } },
  )
}

/** What an error of the protocol tells besides its message, as far as it is small. */
function dataOf(error: unknown): { data?: Json } {
  const { data } = error as { data?: unknown }
  if (data === undefined || data === null) return {}
  return JSON.stringify(data).length <= maxErrorChars ? { data: data as Json } : {}
}
