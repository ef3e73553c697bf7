// Asks a foreign server for its tools. A failure is a problem of the server, never an exception.
import { specOf } from '../../formats/mcp/server-tool.ts'
import type { Profile } from '../../sandbox/profile.ts'
import type { McpServerSpec } from '../../tool/plans/mcp-plan.ts'
import type { Tool } from '../../tool/tool.ts'
import { errorData, ToolError } from '../../tool/tool-error.ts'
import type { RuntimeEnv } from '../runtime.ts'
import type { Connection } from './connection.ts'
import { connectionsOf } from './connections.ts'
import { type Discovered, footingOf, rememberServer, rememberSilence, serverProblem } from './definitions.ts'
import { fillServer, refuseOtherProgram, targetOf } from './server-target.ts'

/** Gives the server `timeoutMs` to start and to list its tools. */
export async function askServer(
  server: Tool,
  profile: Profile,
  env: RuntimeEnv,
  timeoutMs: number,
): Promise<Discovered> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), timeoutMs)
  let connection: Connection | undefined
  try {
    const spec = await fillServer(specOf(server)!, env)
    const target = targetOf(spec, env.config, env.spaces)
    refuseOtherProgram(target, spec, server, env)
    connection = connectionsOf(env).to(target, profile)
    const listed = await connection.listTools(late.signal)
    return rememberServer(server, listed, env.spaces)
  } catch (error) {
    const isSilent = late.signal.aborted
    const { code, message, hint } = errorData(
      isSilent ? silence(specOf(server)!, timeoutMs, connection?.said) : error,
    )
    const problem = serverProblem(server, withCode(message, code), hint)
    if (isSilent) rememberSilence(server, problem, footingOf(profile, env), env.spaces)
    return { server, tools: [], problem, askedAt: Date.now(), isSilent }
  } finally {
    clearTimeout(timer)
  }
}

/** The code stands in the first line, before what the server itself wrote. */
function withCode(message: string, code: string): string {
  const [first, ...rest] = message.split('\n')
  return [`${first} (${code})`, ...rest].join('\n')
}

function silence(spec: McpServerSpec, timeoutMs: number, said: string | undefined): ToolError {
  const how =
    spec.transport === 'http'
      ? `Check that ${spec.url} answers`
      : `Try its command by hand: ${[spec.command, ...(spec.args ?? [])].join(' ')}`
  return new ToolError(
    'TIMEOUT',
    `The MCP server "${spec.name}" did not say within ${timeoutMs / 1000} s what it offers.${said ? `\n${said}` : ''}`,
    {
      hint: `${how}. If it only needs longer, raise mcp.listTimeoutMs in toolcrib.yaml; \`toolcrib list --refresh\` asks again at once.`,
    },
  )
}
