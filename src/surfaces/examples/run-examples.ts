// Runs the examples tools bring along, for real, through the whole pipeline; what they store is thrown away.
import type { Crib } from '../../crib/crib.ts'
import type { Rehearsal } from '../../crib/rehearsal.ts'
import { compareExample } from '../../tool/compare-example.ts'
import type { Outcome } from '../../tool/outcome.ts'
import type { Principal } from '../../tool/principal.ts'
import type { Example, Tool } from '../../tool/tool.ts'
import { errorData, isToolError, type ToolErrorData } from '../../tool/tool-error.ts'
import { sidecarExamples } from './sidecar-examples.ts'

export interface ExampleResult {
  readonly tool: string
  readonly example: string
  readonly ok: boolean
  readonly skipped?: string
  readonly path?: string
  readonly expected?: unknown
  readonly actual?: unknown
  readonly error?: { readonly code: string; readonly message: string; readonly hint?: string }
  readonly ms?: number
}

export interface ExampleReport {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  readonly results: readonly ExampleResult[]
}

export interface ExampleOptions {
  readonly principal: Principal
  readonly signal?: AbortSignal
  readonly strict?: boolean
  readonly onResult?: (result: ExampleResult) => void
}

/** Codes that mean the machine lacks something, not that the tool is wrong. */
const missingHere = new Set([
  'SECRET_MISSING',
  'RUNTIME_MISSING',
  'MODEL_MISSING',
  'COMMAND_NOT_FOUND',
  'SANDBOX_UNAVAILABLE',
])

/** Every example of every given tool, one after the other. */
export async function runExamples(
  crib: Crib,
  tools: readonly Tool[],
  options: ExampleOptions,
): Promise<ExampleReport> {
  const rehearsal = crib.crumbs.rehearse()
  const results: ExampleResult[] = []
  const keep = (result: ExampleResult) => {
    results.push(result)
    options.onResult?.(result)
  }
  try {
    for (const tool of tools) {
      const own = examplesOf(tool)
      if ('error' in own) {
        keep({ tool: tool.id, example: 'its examples file', ok: false, error: own.error })
        continue
      }
      for (const [index, example] of own.examples.entries()) {
        if (options.signal?.aborted) break
        const name = example.title ?? `#${index + 1}`
        keep(await runExample(crib, tool, { example, name, options: { ...options, rehearsal } }))
      }
    }
  } finally {
    await rehearsal.close()
  }
  return {
    passed: results.filter((result) => result.ok && !result.skipped).length,
    failed: results.filter((result) => !result.ok).length,
    skipped: results.filter((result) => result.skipped !== undefined).length,
    results,
  }
}

/** A sidecar file that cannot be read fails its own tool, not the others. */
function examplesOf(tool: Tool): { examples: readonly Example[] } | { error: ToolErrorData } {
  try {
    return { examples: [...tool.examples, ...sidecarExamples(tool)] }
  } catch (error) {
    if (!isToolError(error)) throw error
    return { error: errorData(error) }
  }
}

async function runExample(
  crib: Crib,
  tool: Tool,
  {
    example,
    name,
    options,
  }: {
    readonly example: Example
    readonly name: string
    readonly options: ExampleOptions & { readonly rehearsal: Rehearsal }
  },
): Promise<ExampleResult> {
  const base = { tool: tool.id, example: name }
  const skip = tool.details?.skipExamples
  if (typeof skip === 'string') return { ...base, ok: true, skipped: skip }
  const outcome = await crib.call(tool, example.params, {
    principal: options.principal,
    approved: true,
    rehearsal: options.rehearsal,
    signal: options.signal,
  })
  return { ...base, ...judgeExample(example, outcome, options.strict === true), ms: outcome.ms }
}

/** Whether a call came out as its example says. */
export function judgeExample(
  example: Example,
  outcome: Outcome,
  strict: boolean,
): Omit<ExampleResult, 'tool' | 'example'> {
  if (!outcome.ok) {
    const { code, message } = outcome.error
    if (example.expectError !== undefined)
      return example.expectError === code
        ? { ok: true }
        : { ok: false, expected: example.expectError, actual: code, error: { code, message } }
    if (missingHere.has(code) && !strict) return { ok: true, skipped: `${code}: ${message}` }
    return { ok: false, error: { code, message } }
  }
  if (example.expectError !== undefined)
    return { ok: false, expected: example.expectError, actual: outcome.value }
  if (example.expect === undefined || example.match === 'schema') return { ok: true }
  const difference = compareExample(example.expect, outcome.value, example.match)
  return difference ? { ok: false, ...difference } : { ok: true }
}
