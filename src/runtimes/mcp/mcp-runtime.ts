// The runtime `mcp`: a foreign server's tool, called over a shared connection.
import type { CallToolResult } from '@modelcontextprotocol/client'
import { isPlainObject, type Json } from '../../tool/json.ts'
import type { McpServerSpec } from '../../tool/plans/mcp-plan.ts'
import { planOf } from '../../tool/plans/runtime-plans.ts'
import { ToolError } from '../../tool/tool-error.ts'
import type { Attempt, Runtime, RuntimeEnv } from '../runtime.ts'
import { elicitHandlerOf, sampleHandlerOf } from './ask-caller.ts'
import { connectionsOf } from './connections.ts'
import { fillSpec, refuseOtherProgram, type ServerTarget, targetOf } from './server-target.ts'

export function mcpRuntime(env: RuntimeEnv): Runtime {
  const connections = connectionsOf(env)
  connections.join()
  return {
    name: 'mcp',
    async run(attempt) {
      const { server, tool } = planOf(attempt.tool, 'mcp')!
      const result = await callForeign(attempt, env, targetFor(server, attempt, env), tool, attempt.params)
      return resultOf(attempt, result)
    },
    async plan(attempt) {
      const { server, tool } = planOf(attempt.tool, 'mcp')!
      return { ...describeTarget(targetFor(server, attempt, env)), tool }
    },
    close: () => connections.leave(),
  }
}

function targetFor(server: McpServerSpec, attempt: Attempt, env: RuntimeEnv): ServerTarget {
  const spec = fillSpec(server, env.config)
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
  const connection = connectionsOf(env).to(target, attempt.profile)
  const elicit = elicitHandlerOf(attempt.call)
  const sample = sampleHandlerOf(attempt.call)
  const result = await connection.callTool({
    tool,
    args: isPlainObject(params) ? params : undefined,
    signal: attempt.signal,
    timeoutMs: attempt.timeoutMs,
    progress: (progress) => attempt.progress(progress),
    ...(elicit ? { elicit } : {}),
    ...(sample ? { sample } : {}),
  })
  attempt.enforced(connection.enforcement)
  if (result.isError) {
    const text = textOf(result)
    throw new ToolError('TOOL_FAILED', text || `${attempt.tool.id} failed and did not say why.`, {
      ...(result.structuredContent === undefined ? {} : { details: result.structuredContent as Json }),
    })
  }
  return result
}

/** The text blocks of a result, joined. */
export function textOf(result: CallToolResult): string {
  return result.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')
}

/** The structure where there is one, else the text; blocks that are neither travel beside the value. */
function resultOf(attempt: Attempt, result: CallToolResult): unknown {
  const isPlain = result.content.every((block) => block.type === 'text')
  if (!isPlain) attempt.meta({ content: result.content as unknown as Json })
  if (result.structuredContent !== undefined) return result.structuredContent
  return isPlain ? textOf(result) : { content: result.content }
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
