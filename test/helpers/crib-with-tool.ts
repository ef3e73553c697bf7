// A crib with one tool made in code, and calls of it, for tests of checks and wrappers.
import { onTestFinished } from 'vitest'
import { openCrib } from '../../src/crib/open-crib.ts'
import { Call, type CallOptions } from '../../src/kernel/call.ts'
import { Kernel } from '../../src/kernel/kernel.ts'
import { outcomeOf } from '../../src/kernel/outcome.ts'
import type { Check, Wrapper } from '../../src/kernel/stages.ts'
import type { ToolFunction } from '../../src/runtimes/function/function-runtime.ts'
import type { Outcome } from '../../src/tool/outcome.ts'
import { makePrincipal } from '../../src/tool/principal.ts'
import { makeTool, type Tool } from '../../src/tool/tool.ts'
import { errorData, type ToolErrorData } from '../../src/tool/tool-error.ts'
import { tempFolder } from './temp-folder.ts'

/** A crib in an empty folder, which asks for nothing; it is closed when the test ends. */
export async function cribWith(config: Record<string, unknown> = {}) {
  const root = tempFolder()
  const crib = await openCrib({ root, config, env: { HOME: root }, cache: false })
  await crib.formats()
  onTestFinished(() => crib.close())
  return Object.assign(crib, { openAsks: () => null })
}

/** A tool made in code, with fields that only definitions in files have. */
export async function cribWithTool(
  fields: Partial<Tool>,
  fn: ToolFunction,
  config: Record<string, unknown> = {},
) {
  const crib = await cribWith(config)
  const made = crib.addTool({ id: 't', fn })
  const tool = makeTool({ ...made, ...fields })
  return { crib, tool }
}

/** A call that was not started, by the CLI unless `options` say otherwise. */
export function callOf(
  fields: Partial<Tool> = {},
  { args, ...options }: Partial<CallOptions> & { readonly args?: unknown } = {},
): Call {
  const tool = makeTool({
    id: 't',
    format: 'builtin',
    tier: 'project',
    source: { file: null, digest: '' },
    ...fields,
  })
  return new Call({
    id: 'c',
    tool,
    args,
    options: { principal: makePrincipal({ surface: 'cli' }), ...options },
  })
}

/** What a check refuses a call with; undefined where it lets the call pass. */
export async function refusalBy(check: Check, call: Call): Promise<ToolErrorData | undefined> {
  try {
    await check.check(call)
    return undefined
  } catch (error) {
    return errorData(error)
  }
}

/** The innermost wrapper of a chain: what runs in place of a tool. */
export function leaf(run: (call: Call) => unknown): Wrapper {
  return { name: 'execute', stage: '$execute', wrap: (call) => run(call) }
}

/** What becomes of a call that passes these parts. */
export async function outcomeBy(parts: readonly (Check | Wrapper)[], call: Call): Promise<Outcome> {
  const kernel = new Kernel({ parts, resolve: () => call.tool })
  try {
    await kernel.run(call)
  } catch {
    // The call carries its error; the outcome tells it.
  }
  return outcomeOf(call)
}
