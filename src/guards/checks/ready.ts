// Refuses what cannot be called: the wrong kind of entry, a definition with errors, something missing here. Warns of
// what should not be called any more.
import type { Traits } from '../../formats/format.ts'
import type { Check } from '../../kernel/stages.ts'
import type { ErrorCode } from '../../tool/error-codes.ts'
import { firstError, type Problem, placeOf } from '../../tool/problem.ts'
import { isCallableKind, type Tool } from '../../tool/tool.ts'
import { ToolError } from '../../tool/tool-error.ts'
import type { GuardServices } from '../services.ts'

export function ready(services: Pick<GuardServices, 'traits'>): Check {
  return {
    name: 'ready',
    stage: '$start',
    applies: (tool) => isRefused(tool) || isDeprecated(tool),
    check(call) {
      if (call.options.asText ? isOutOfService(call.tool) : isRefused(call.tool))
        throw refusal(call.tool, services.traits(call.tool))
      if (call.isDryRun) return
      call.log('warn', `deprecated: ${call.tool.id} is deprecated`, { code: 'deprecated' })
    },
  }
}

/** A shadowed tool was named in full, as `format:id` or by its file; it may run. */
function isRefused(tool: Tool): boolean {
  return isOutOfService(tool) || !isCallableKind(tool.kind) || isUnfit(tool)
}

function isOutOfService({ state }: Tool): boolean {
  return state !== 'available' && state !== 'shadowed'
}

function isDeprecated(tool: Tool): boolean {
  return tool.problems.some((entry) => entry.code === 'deprecated')
}

/** Errors and missing code stop a tool however it was named. */
function isUnfit(tool: Tool): boolean {
  return firstError(tool.problems) !== undefined || tool.problems.some((entry) => entry.code === 'no-code')
}

function refusal(tool: Tool, traits: Traits): ToolError {
  if (!isCallableKind(tool.kind)) {
    const what = tool.reason ?? `is a ${tool.kind}, not a callable tool`
    return new ToolError('TOOL_NOT_CALLABLE', `${tool.id} ${what}.`, {
      hint: 'See `toolcrib list` for what can be called.',
    })
  }
  const aside = tool.problems.find(({ code }) => code === 'set-aside')
  if (aside)
    return new ToolError('TRUST_UNTRUSTED', `${tool.id} is set aside: ${aside.message}`, { hint: aside.hint })
  const problem = firstError(tool.problems)
  if (problem && ['available', 'invalid', 'shadowed'].includes(tool.state)) {
    const code = codeOf(problem)
    const own = problem.message.startsWith(`${tool.id}: `) ? '' : `${tool.id}: `
    const named = code === problem.code ? '' : `${problem.code}: `
    return new ToolError(code, `${own}${named}${problem.message} (${placeOf(problem)})`, {
      hint: problem.hint ?? `See \`toolcrib check\`.`,
      details: { problem: { ...problem } },
    })
  }
  const hint = `See \`toolcrib why ${tool.id}\`.`
  if (tool.state === 'disabled')
    return new ToolError(
      traits.disabledCode ?? 'TOOL_NOT_ALLOWED',
      `${tool.id} is disabled: ${tool.reason ?? 'by configuration'}.`,
      { hint },
    )
  if (tool.state === 'quarantined')
    return new ToolError(
      'TRUST_DRIFT',
      `${tool.id} is quarantined: ${tool.reason ?? 'it changed since it was approved'}.`,
      { hint: problem?.hint ?? `See \`toolcrib diff ${tool.id}\`, then \`toolcrib approve ${tool.id}\`.` },
    )
  const noCode = tool.problems.find((entry) => entry.code === 'no-code')
  if (noCode)
    return new ToolError('TOOL_NOT_CALLABLE', `${tool.id} cannot be called: ${tool.reason}.`, {
      hint: noCode.hint,
    })
  const missingBins = tool.state === 'unavailable' && tool.needsBins !== undefined
  return new ToolError(
    missingBins ? 'COMMAND_NOT_FOUND' : tool.state === 'unavailable' ? 'RUNTIME_MISSING' : 'TOOL_INVALID',
    `${tool.id} is not available: ${tool.reason ?? 'something it needs is missing'}.`,
    { hint },
  )
}

/** Problems that a run ends with under their own code: the cascade, and what importing a module came to. */
const ownCodes: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'CASCADE_INVALID',
  'LOAD_FAILED',
  'LOAD_TIMEOUT',
  'SANDBOX_UNAVAILABLE',
  'TRUST_UNSIGNED',
  'TRUST_UNTRUSTED',
  'TRUST_TAMPERED',
  'TRUST_DRIFT',
])

/** The error a run ends with when its definition has this problem. */
function codeOf(problem: Problem): ErrorCode {
  if (ownCodes.has(problem.code as ErrorCode)) return problem.code as ErrorCode
  const isChain = /^(chain-|executor-not-found|executor-tier|unknown-primitive)/.test(problem.code)
  return isChain ? 'CHAIN_INVALID' : 'TOOL_INVALID'
}
