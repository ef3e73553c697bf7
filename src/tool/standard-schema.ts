// Parameters given as a schema object of Zod, Valibot, ArkType and their like (Standard Schema): the JSON Schema that a
// model sees, and the check that also transforms. Only the interface is used, no library is imported.
import { isPlainObject } from './json.ts'
import type { JsonSchema } from './tool.ts'
import { messageOf, ToolError } from './tool-error.ts'

/** What every library of Standard Schema 1 gives; newer ones also write themselves as JSON Schema. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
    readonly jsonSchema?:
      | { readonly input: (options: { readonly target: 'draft-2020-12' }) => object }
      | undefined
  }
}

type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }

interface StandardIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

export function isStandardSchema(value: unknown): value is StandardSchema {
  // ArkType's schemas are functions.
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return false
  return typeof (value as Partial<StandardSchema>)['~standard']?.validate === 'function'
}

/** As JSON Schema, by whichever way the library has. Throws TOOL_INVALID where it has none. */
export function jsonSchemaOf(schema: StandardSchema, toolId: string): JsonSchema {
  const { jsonSchema, vendor } = schema['~standard']
  const own = schema as { toJSONSchema?: () => unknown; toJsonSchema?: () => unknown }
  let written: unknown
  try {
    written = jsonSchema
      ? jsonSchema.input({ target: 'draft-2020-12' })
      : (own.toJSONSchema?.() ?? own.toJsonSchema?.())
  } catch (error) {
    throw new ToolError(
      'TOOL_INVALID',
      `The parameters of ${toolId} cannot be written as JSON Schema: ${messageOf(error)}.`,
      { hint: 'Use types that JSON has: no dates, functions, maps or symbols.' },
    )
  }
  if (isPlainObject(written)) return JSON.parse(JSON.stringify(written)) as JsonSchema
  throw new ToolError(
    'TOOL_INVALID',
    `The parameters of ${toolId} are a schema of ${vendor}, which does not write itself as JSON Schema.`,
    { hint: 'Convert it (Valibot: toStandardJsonSchema of @valibot/to-json-schema) or give JSON Schema.' },
  )
}

/** The value as the schema hands it on, defaults and transforms applied; throws PARAMS_INVALID with every fault. */
export async function parseWith(schema: StandardSchema, value: unknown, toolId: string): Promise<unknown> {
  const result = await schema['~standard'].validate(value)
  if (!result.issues) return result.value
  const violations = result.issues.map(({ message, path }) => ({ pointer: pointerOf(path), message }))
  throw new ToolError('PARAMS_INVALID', `The parameters of ${toolId} are wrong: ${violations[0]?.message}`, {
    details: { violations, count: violations.length },
  })
}

function pointerOf(path: StandardIssue['path'] = []): string {
  const keys = path.map((step) => String(typeof step === 'object' ? step.key : step))
  return keys.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}
