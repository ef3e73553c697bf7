// A skill whose frontmatter is computed is known in full only when its module was imported. That happens before its
// first call, so that schema, allow list and cascade of that very call are the computed ones; and only after the same
// verdicts that stand before every call.

import type { Runtime } from '../../runtimes/runtime.ts'
import { hintFor } from '../../tool/problem-hints.ts'
import type { Tool } from '../../tool/tool.ts'
import { errorData, ToolError } from '../../tool/tool-error.ts'
import { trustRefusal } from '../checks/trust.ts'
import type { GuardServices } from '../services.ts'

type Services = Pick<GuardServices, 'config' | 'trustOf' | 'driftOf'>

/**
 * Imports the module of a skill, if its file may run at all. A skill that may not is left to the guards, which refuse
 * its call; one that cannot be imported comes back with the reason as its problem.
 */
export async function importEarly(
  tool: Tool,
  runtime: Runtime,
  services: Services,
  signal?: AbortSignal,
): Promise<Tool | undefined> {
  if (tool.state !== 'available' && tool.state !== 'shadowed') return undefined
  const { trust } = services.config
  const isTrusted =
    trust === 'off' ||
    tool.tier === 'system' ||
    !trustRefusal(tool, await services.trustOf(tool), trust === 'require')
  if (!isTrusted || (await services.driftOf(tool))) return undefined
  try {
    await inTime(runtime.load!(tool), tool, services.config.limits.timeoutMs, signal)
    return undefined
  } catch (error) {
    if (signal?.aborted) throw error
    return failed(tool, error)
  }
}

async function inTime(work: Promise<void>, tool: Tool, limitMs: number, signal?: AbortSignal): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  let onAbort = () => {}
  const stopped = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const message = `${tool.id}: its module was not imported within ${limitMs} ms.`
      reject(new ToolError('LOAD_TIMEOUT', message, { hint: 'Look for an await at the top level.' }))
    }, limitMs)
    onAbort = () => reject(signal!.reason)
    signal?.addEventListener('abort', onAbort, { once: true })
    if (signal?.aborted) onAbort()
  })
  try {
    await Promise.race([work, stopped])
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  }
}

function failed(tool: Tool, error: unknown): Tool {
  const { code, message, hint } = errorData(error)
  const place = tool.source.file === null ? {} : { file: tool.source.file, line: 1 }
  const problem = {
    code,
    severity: 'error' as const,
    message,
    hint: hint ?? hintFor(code),
    ...place,
    toolId: tool.id,
  }
  return { ...tool, state: 'invalid', problems: [problem, ...tool.problems] }
}
