// A crib with one tool made in code, and calls of it, for tests of checks and wrappers.
import { onTestFinished } from 'vitest'
import { openCrib } from '../../src/crib/open-crib.ts'
import { Call, type CallOptions } from '../../src/kernel/call.ts'
import type { Check } from '../../src/kernel/stages.ts'
import { makePrincipal } from '../../src/tool/principal.ts'
import { makeTool, type Tool } from '../../src/tool/tool.ts'
import { errorData, type ToolErrorData } from '../../src/tool/tool-error.ts'
import { tempFolder } from './temp-folder.ts'

/** A crib in an empty folder; it is closed when the test ends. */
export async function cribWith(config: Record<string, unknown> = {}) {
  const root = tempFolder()
  const crib = await openCrib({ root, config, env: { HOME: root }, cache: false })
  onTestFinished(() => crib.close())
  return crib
}

/** A tool made in code, with fields that only definitions in files have. */
export async function cribWithTool(
  fields: Partial<Tool>,
  fn: () => unknown,
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
