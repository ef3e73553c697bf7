// Asks a foreign server for what it offers. A failure is a problem of the server, never an exception.
import { specOf } from '../../formats/mcp/server-tool.ts'
import type { Profile } from '../../sandbox/profile.ts'
import type { JsonObject } from '../../tool/json.ts'
import type { McpServerSpec } from '../../tool/plans/mcp-plan.ts'
import { planOf } from '../../tool/plans/runtime-plans.ts'
import type { Principal } from '../../tool/principal.ts'
import type { Tool } from '../../tool/tool.ts'
import { errorData, ToolError } from '../../tool/tool-error.ts'
import type { RuntimeEnv } from '../runtime.ts'
import type { Connection } from './connection.ts'
import { connectionsOf } from './connections.ts'
import {
  type Discovered,
  footingOf,
  loginNeeded,
  rememberServer,
  rememberSilence,
  serverProblem,
} from './definitions.ts'
import { forPrincipal, loginTargetOf } from './login-target.ts'
import { promptTexts } from './prompt-texts.ts'
import { refuseOtherProgram, type ServerTarget, targetFor } from './server-target.ts'
import { type Watch, watchResource } from './watch-resource.ts'

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
    const { spec, target } = await targetFor(specOf(server)!, env)
    refuseOtherProgram(target, spec, server, env)
    connection = connectionsOf(env).to(await forSomebody(target, profile, env), profile)
    const lists = await connection.lists(late.signal)
    const texts = await promptTexts(connection, lists.prompts, late.signal)
    return rememberServer(server, { ...lists, texts }, env.spaces)
  } catch (error) {
    const isSilent = late.signal.aborted
    const { code, message, hint, details } = errorData(
      isSilent
        ? (connection?.child?.notMcp ?? silence(specOf(server)!, timeoutMs, connection?.child?.tail))
        : error,
    )
    if (code === 'AUTH_REQUIRED')
      return { server, tools: [], problem: loginNeeded(server, message, hint), askedAt: Date.now() }
    const failed = serverProblem(server, withCode(message, code), hint)
    const isNoServer = (details as { speaksMcp?: boolean } | undefined)?.speaksMcp === false
    const problem = isNoServer ? { ...failed, code: 'mcp-not-spoken' } : failed
    if (isSilent) rememberSilence(server, problem, footingOf(profile, env), env.spaces)
    return { server, tools: [], problem, askedAt: Date.now(), isSilent }
  } finally {
    clearTimeout(timer)
  }
}

/** Who asks a server for something that is no call, and with which rights. */
export interface Asking {
  readonly profile: Profile
  readonly principal: Principal
  readonly env: RuntimeEnv
}

/** The connection to the server of a prompt or resource. */
async function connectionFor(tool: Tool, { env, profile, principal }: Asking): Promise<Connection> {
  const { spec, target } = await targetFor(planOf(tool, 'mcp')!.server, env)
  refuseOtherProgram(target, spec, tool, env)
  return connectionsOf(env).to(forPrincipal(target, principal), profile, principal)
}

/** Which values an argument of a prompt or of a resource's address can have, as its server says. */
export async function completionOf(
  tool: Tool,
  asking: Asking,
  params: object,
  signal: AbortSignal,
): Promise<JsonObject> {
  const connection = await connectionFor(tool, asking)
  return connection.ask({ method: 'completion/complete', params }, signal)
}

/** Tells when the resource of a tool changes; gives back how to stop. */
export function watchOf(
  asked: () => Promise<Asking & { readonly tool: Tool }>,
  watch: Pick<Watch, 'uri' | 'onUpdated'>,
  signal: AbortSignal,
): Promise<() => void> {
  const connect = async () => {
    const asking = await asked()
    return connectionFor(asking.tool, asking)
  }
  return watchResource({ ...watch, connect }, signal)
}

/** Tools are listed as the user of this machine, or as somebody who has logged in. */
async function forSomebody(target: ServerTarget, profile: Profile, env: RuntimeEnv): Promise<ServerTarget> {
  const local = forPrincipal(target)
  const login = loginTargetOf(local, profile.network)
  if (local.kind !== 'http' || !login?.user || !env.logins) return local
  return { ...local, login: { user: await env.logins.someUser(login) } }
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
