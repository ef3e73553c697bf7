// May this call go on? Asks every entry of a call's chain without running the tool. A call, a dry run, `why` and the
// list a client gets have one answer because they have one list.
import { errorData, type ToolErrorData } from '../tool/tool-error.ts'
import type { Call } from './call.ts'

/** One reason why a call would not go on, and the entry of its chain that gives it. */
export interface Refusal extends ToolErrorData {
  readonly check: string
}

/** Everything that would refuse the call, in the order it would; what depends on a refused check is left out. */
export async function refusals(call: Call): Promise<Refusal[]> {
  const found: Refusal[] = []
  const refused = new Set<string>()
  call.refused = refused
  for (const { name, rehearse, needs, judgesArgs } of call.chain) {
    if (!rehearse) continue
    if (needs.some((check) => refused.has(check))) {
      refused.add(name)
      continue
    }
    try {
      // A plan ends a chain as a result does.
      if ((await rehearse(call)) !== undefined) break
    } catch (error) {
      refused.add(name)
      if (!(judgesArgs && call.options.hasNoArgsYet)) found.push({ check: name, ...errorData(error) })
    }
  }
  return [...found, ...call.missing.map((error) => ({ check: 'execute', ...errorData(error) }))]
}

/** What the call would do: the plan of its runtime. Rejects with the first refusal. */
export async function rehearse(call: Call): Promise<unknown> {
  for (const entry of call.chain) {
    const plan = await entry.rehearse?.(call)
    if (plan !== undefined) return plan
  }
  return undefined
}
