// Tools made in code: the plan names a function that the embedding program registered. Nothing stands between
// the kernel and the function, because such calls are made by the ten thousand.
import type { Json } from '../../tool/json.ts'
import { planOf } from '../../tool/plans/runtime-plans.ts'
import { ToolError } from '../../tool/tool-error.ts'
import type { Attempt, Runtime, RuntimeFactory } from '../runtime.ts'

export type ToolFunction = (params: unknown, attempt: Attempt) => unknown

/** A runtime over a live map of functions; what is added to the map later can be called too. */
export function functionRuntime(functions: ReadonlyMap<string, ToolFunction>): RuntimeFactory {
  return (): Runtime => ({
    name: 'function',
    run(attempt) {
      const id = planOf(attempt.tool, 'function')?.function
      const call = functions.get(id as string)
      if (!call) return Promise.reject(missing(attempt, id))
      try {
        return call(attempt.params, attempt)
      } catch (error) {
        return Promise.reject(error)
      }
    },
    plan: async (attempt) => ({ function: planOf(attempt.tool, 'function')?.function ?? null }),
  })
}

function missing(attempt: Attempt, id: Json | undefined): ToolError {
  return new ToolError(
    'RUNTIME_MISSING',
    `${attempt.tool.id}: the function ${JSON.stringify(id ?? null)} is not registered in this program.`,
    { hint: 'Register it before the call; tools made in code exist only in the program that made them.' },
  )
}
