// The runtime `mcp`: a foreign server's tool, called over a shared connection.
import type { CallToolResult } from '@modelcontextprotocol/client'
import { isPlainObject, type Json, type JsonObject } from '../../tool/json.ts'
import type { McpServerSpec } from '../../tool/plans/mcp-plan.ts'
import { planOf } from '../../tool/plans/runtime-plans.ts'
import { libraryPrincipal, type Principal } from '../../tool/principal.ts'
import { ToolError } from '../../tool/tool-error.ts'
import type { Attempt, Runtime, RuntimeEnv } from '../runtime.ts'
import { elicitHandlerOf, sampleHandlerOf } from './ask-caller.ts'
import { connectionsOf } from './connections.ts'
import { fillServer, refuseOtherProgram, type ServerTarget, targetOf } from './server-target.ts'

export function mcpRuntime(env: RuntimeEnv): Runtime {
  const connections = connectionsOf(env)
  connections.join()
  return {
    name: 'mcp',
    async run(attempt) {
      const { server, tool } = planOf(attempt.tool, 'mcp')!
      const result = await callForeign(
        attempt,
        env,
        await targetFor(server, attempt, env),
        tool,
        attempt.params,
      )
      return resultOf(attempt, result)
    },
    async plan(attempt) {
      const { server, tool } = planOf(attempt.tool, 'mcp')!
      return { ...describeTarget(await targetFor(server, attempt, env)), tool }
    },
    close: () => connections.leave(),
  }
}

async function targetFor(server: McpServerSpec, attempt: Attempt, env: RuntimeEnv): Promise<ServerTarget> {
  const spec = await fillServer(server, env)
  const target = targetOf(spec, env.config, env.spaces)
  refuseOtherProgram(target, spec, attempt.tool, env)
  return target
}

/** One call of a server's tool; an answer with `isError` is TOOL_FAILED with its text. */
export async function callForeign(
  attempt: Attempt,
  env: RuntimeEnv,
  target: ServerTarget,
  tool: string,
  params: unknown,
): Promise<CallToolResult> {
  const connection = connectionsOf(env).to(target, attempt.profile, principalOf(attempt))
  const elicit = elicitHandlerOf(attempt.call)
  const sample = sampleHandlerOf(attempt.call)
  const result = await connection.callTool({
    tool,
    params: attempt.tool.params,
    args: isPlainObject(params) ? params : undefined,
    signal: attempt.signal,
    timeoutMs: attempt.timeoutMs,
    progress: (progress) => attempt.progress(progress),
    elicit,
    sample,
  })
  attempt.enforced(connection.enforcement)
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
