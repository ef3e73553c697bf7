// The result is checked on the way out. A format may offer several parts of it that could satisfy the schema.
import type { Traits } from '../../formats/format.ts'
import type { Call } from '../../kernel/call.ts'
import type { Wrapper } from '../../kernel/stages.ts'
import { lookedUpIn } from '../../runtimes/skill/globals.ts'
import { compileSchema, type Violation } from '../../tool/schema/compile-schema.ts'
import { resolveSchema } from '../../tool/schema/resolve-schema.ts'
import { describeViolations, faultDetails } from '../../tool/schema/validate.ts'
import type { Tool } from '../../tool/tool.ts'
import { ToolError } from '../../tool/tool-error.ts'
import type { GuardServices } from '../services.ts'
import { contextOf } from '../skills/context-of.ts'

/** The part of a result that satisfies the tool's schema; the whole when none does or there is no schema. */
export function resultPart(tool: Tool, value: unknown, traits: Traits): unknown {
  const candidates = tool.returns ? traits.returnCandidates?.(value, tool) : undefined
  if (!candidates) return value
  const validator = compileSchema(tool.returns!, { fillDefaults: false })
  return candidates.find((candidate) => validator.violations(candidate).length === 0) ?? value
}

export function returns(services: Pick<GuardServices, 'traits'>): Wrapper {
  return {
    name: 'returns',
    stage: '$pre-execute',
    inEntries: false,
    applies: (tool) => tool.returns !== null,
    wrap(call, next) {
      const { tool } = call
      if ('$resolve' in tool.returns!)
        contextOf(call).run.tool.returns = resolveSchema(tool.returns, lookedUpIn(contextOf(call)))
      const rest = next()
      return rest instanceof Promise ? rest.then(() => checkResult(call)) : checkResult(call)
    },
  }

  function checkResult(call: Call): void {
    const { tool } = call
    const schema =
      '$resolve' in tool.returns! ? resolveSchema(tool.returns, lookedUpIn(contextOf(call))) : tool.returns!
    const judged = services.traits(tool).judgedSchema?.(schema) ?? schema
    const validator = compileSchema(judged, { fillDefaults: false })
    const candidates = services.traits(tool).returnCandidates?.(call.result, tool) ?? [call.result]
    let first: Violation[] | undefined
    for (const candidate of candidates) {
      const violations = validator.violations(candidate)
      if (violations.length === 0) return
      first ??= violations
    }
    throw new ToolError(
      'RESULT_INVALID',
      `${tool.id} returned something its schema does not allow: ${describeViolations(first ?? [], 'the result')}.`,
      {
        hint: 'The tool or its output schema is wrong.',
        details: faultDetails(first ?? []),
      },
    )
  }
}
