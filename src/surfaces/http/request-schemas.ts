// What requests may say. The same schemas check the bodies and describe them in /openapi.json.
import { compileSchema } from '../../tool/schema/compile-schema.ts'
import { describeViolations } from '../../tool/schema/validate.ts'
import type { JsonSchema } from '../../tool/tool.ts'
import { HttpProblem } from './problem-json.ts'

export const callBody: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    params: { description: "The tool's parameters." },
    dryRun: { type: 'boolean', description: 'Resolve and check everything, run nothing.' },
    timeoutMs: {
      type: 'integer',
      minimum: 1,
      description: 'Time limit of the whole call, at most what the crib allows.',
    },
  },
}

export const decisionBody: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['decision'],
  properties: {
    decision: { enum: ['approve', 'deny'] },
    reason: { type: 'string', maxLength: 2000, description: 'Told to the caller.' },
  },
}

/** Gives the body back when it fits its schema; throws 400 with every violation otherwise. */
export function checkBody<T>(body: unknown, schema: JsonSchema): T {
  const violations = compileSchema(schema, { fillDefaults: false }).violations(body)
  if (violations.length === 0) return body as T
  const isWhole = violations.some((violation) => violation.pointer === '')
  const fault = isWhole ? 'it must be a JSON object' : describeViolations(violations)
  throw new HttpProblem(400, 'BODY_INVALID', `The body is not valid: ${fault}.`, {
    details: violations,
  })
}
