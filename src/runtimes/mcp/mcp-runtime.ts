// The runtime `mcp`: a foreign server's tool, prompt or resource, asked for over a shared connection.
import { type CallToolResult, UriTemplate } from '@modelcontextprotocol/client'
import { isPlainObject, type Json, type JsonObject } from '../../tool/json.ts'
import type { McpPlan, McpServerSpec } from '../../tool/plans/mcp-plan.ts'
import { planOf } from '../../tool/plans/runtime-plans.ts'
import { libraryPrincipal, type Principal } from '../../tool/principal.ts'
import { ToolError } from '../../tool/tool-error.ts'
import type { Attempt, Runtime, RuntimeEnv } from '../runtime.ts'
import { callerOf } from './ask-caller.ts'
import { askToLogIn } from './ask-to-log-in.ts'
import { answerOf } from './caller-handlers.ts'
import { connectionsOf } from './connections.ts'
import { forPrincipal, loginTargetOf } from './login-target.ts'
import type { ForeignRequest } from './raw-result.ts'
import { refuseOtherProgram, type ServerTarget, targetFor } from './server-target.ts'

export function mcpRuntime(env: RuntimeEnv): Runtime {
  const connections = connectionsOf(env)
  connections.join()
  return {
    name: 'mcp',
    async run(attempt) {
      const { server, tool, as } = planOf(attempt.tool, 'mcp')!
      // They came with the server's lists, and were approved as they are here.
      if (as === 'instructions') return attempt.tool.details?.instructions ?? ''
      const target = await targetOf(server, attempt, env)
      if (as)
        return askForeign(attempt, env, target, readRequest(attempt.tool.id, { tool, as }, attempt.params))
      return resultOf(attempt, await callForeign(attempt, env, target, tool, attempt.params))
    },
    async plan(attempt) {
      const { server, tool } = planOf(attempt.tool, 'mcp')!
      const target = await targetOf(server, attempt, env)
      const lacking = await lackingLogin(target, attempt, env)
      if (lacking) attempt.lacks?.(lacking)
      return { ...describeTarget(target), tool }
    },
    async ready(attempt) {
      const { server } = planOf(attempt.tool, 'mcp')!
      // Filling headers in would release secrets, only to look.
      if (server.transport !== 'http' || server.headers) return
      const lacking = await lackingLogin(await targetOf(server, attempt, env), attempt, env)
      if (lacking) throw lacking
    },
    close: () => connections.leave(),
  }
}

async function targetOf(server: McpServerSpec, attempt: Attempt, env: RuntimeEnv): Promise<ServerTarget> {
  const { spec, target } = await targetFor(server, env)
  refuseOtherProgram(target, spec, attempt.tool, env)
  return forPrincipal(target, principalOf(attempt))
}

/** The log-in that every call would lack, as far as that is known here. */
async function lackingLogin(target: ServerTarget, { profile }: Attempt, { logins }: RuntimeEnv) {
  const login = loginTargetOf(target, profile.network)
  return login && logins?.lacking(login)
}

/** What a prompt or resource is asked for with. */
function readRequest(id: string, { tool, as }: Pick<McpPlan, 'tool' | 'as'>, given: unknown): ForeignRequest {
  const params = isPlainObject(given) ? given : {}
  if (as === 'prompt') return { method: 'prompts/get', params: { name: tool, arguments: params } }
  if (as === 'resource') return { method: 'resources/read', params: { uri: tool } }
  const uri = String(params['uri'])
  // What the template does not speak of was not offered under this name.
  if (!new UriTemplate(tool).match(uri))
    throw new ToolError('PARAMS_INVALID', `${id} has addresses like ${tool}, and ${uri} is none.`)
  return { method: 'resources/read', params: { uri } }
}

/** One call of a server's tool; an answer with `isError` is TOOL_FAILED with its text. */
export async function callForeign(
  attempt: Attempt,
  env: RuntimeEnv,
  target: ServerTarget,
  tool: string,
  given: unknown,
): Promise<CallToolResult> {
  if (target.kind !== 'http') attempt.changes?.writesDirectly('a foreign server writes to the files itself')
  const params = isPlainObject(given) ? { name: tool, arguments: { ...given } } : { name: tool }
  const result = (await askForeign(attempt, env, target, { method: 'tools/call', params })) as CallToolResult
  if (isPlainObject(result._meta)) attempt.meta({ resultMeta: result._meta as JsonObject })
  if (result.isError) {
    // What the server says of its failure is passed on as it came, to those who read blocks (U3a).
    attempt.meta({ content: blocksOf(result) })
    const text = textOf(result)
    throw new ToolError('TOOL_FAILED', text || `${attempt.tool.id} failed and did not say why.`, {
      details: result.structuredContent === undefined ? undefined : (result.structuredContent as Json),
    })
  }
  return result
}

/** One request to a server as the caller of the attempt, who is asked what the server asks. */
async function askForeign(
  attempt: Attempt,
  env: RuntimeEnv,
  target: ServerTarget,
  request: ForeignRequest,
): Promise<unknown> {
  const connection = connectionsOf(env).to(target, attempt.profile, principalOf(attempt))
  const caller = callerOf(attempt.call)
  const call = () =>
    connection.call({
      request,
      params: attempt.tool.params,
      signal: attempt.signal,
      timeoutMs: attempt.timeoutMs,
      progress: (progress) => attempt.progress(progress),
      log: wantsLogs(attempt) ? ({ level, message, data }) => attempt.log(level, message, data) : undefined,
      logLevel: answerOf(attempt.call, 'logLevel') ?? 'info',
      caller,
      isTask: isTask(attempt),
    })
  const result = await call().catch(async (error: unknown) => {
    await askToLogIn(error, { attempt, env, target, caller })
    return call()
  })
  attempt.enforced(connection.enforcement)
  return result
}

/** A tool that is called as a task only, or can be and is part of a task of ours. */
function isTask({ tool, call }: Attempt): boolean {
  const { execution } = tool.details?.more ?? {}
  const support = isPlainObject(execution) ? execution['taskSupport'] : undefined
  return support === 'required' || (support === 'optional' && answerOf(call, 'isTask') === true)
}

/** Whether somebody listens to what the call logs. */
function wantsLogs({ call }: Attempt): boolean {
  return (call as { readonly options?: { readonly onLog?: unknown } }).options?.onLog !== undefined
}

function principalOf({ call }: Attempt): Principal {
  return (call as { readonly principal?: Principal }).principal ?? libraryPrincipal
}

/** The text blocks of a result, joined. */
export function textOf(result: CallToolResult): string {
  return result.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')
}

/**
 * The structure where there is one, else the text, else the blocks. Blocks that the value does not tell travel beside
 * it in `meta`, so that a surface that speaks of blocks gives what the server gave (U3a).
 */
function resultOf(attempt: Attempt, result: CallToolResult): unknown {
  const { content, structuredContent } = result
  const text = loneText(content)
  if (structuredContent !== undefined) {
    if (text === undefined || text !== JSON.stringify(structuredContent))
      attempt.meta({ content: blocksOf(result) })
    return structuredContent
  }
  if (text !== undefined) return text
  attempt.meta({ content: blocksOf(result) })
  return content.every((block) => block.type === 'text') ? textOf(result) : { content }
}

/** The text of a result that is one block of nothing but text. */
function loneText([block, ...others]: CallToolResult['content']): string | undefined {
  const isLone = others.length === 0 && block?.type === 'text' && Object.keys(block).length === 2
  return isLone ? block.text : undefined
}

function blocksOf({ content }: CallToolResult): Json {
  return content as Json[]
}

export function describeTarget(target: ServerTarget): { readonly [key: string]: Json } {
  return target.kind === 'http'
    ? { server: target.name, url: target.url, headers: Object.keys(target.headers) }
    : {
        server: target.name,
        binary: target.spawn.file,
        argv: [...target.spawn.args],
        cwd: target.spawn.cwd,
        env: Object.keys(target.spawn.env).sort(),
      }
}
