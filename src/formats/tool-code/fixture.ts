// Documents for the tests of this format: a sound one, and ways to change it.
import type { JsonObject } from '../../tool/json.ts'

export const adderSource = `interface Input { a: number; b?: number }
export async function execute(input: Input) {
  return { sum: input.a + (input.b ?? 0) }
}
`

/** A sound document; `context` and the top level can be overlaid. */
export function toolDocument(
  context: Record<string, unknown> = {},
  top: Record<string, unknown> = {},
): JsonObject {
  const name = (context['name'] as string | undefined) ?? 'adder'
  return {
    schema_name: 'tool.code.v1',
    title: 'Adder',
    tags: ['tool', `tool:${name}`, 'workspace:tools', 'self-contained'],
    context: {
      name,
      description: 'Adds two numbers.',
      version: '1.0.0',
      code: { language: 'typescript', source: adderSource },
      input_schema: {
        type: 'object',
        properties: { a: { type: 'number' }, b: { type: 'number', default: 5 } },
        required: ['a'],
      },
      output_schema: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
      required_secrets: [],
      limits: { memory_mb: 64, timeout_ms: 5_000, cpu_percent: 100 },
      permissions: {},
      examples: [{ input: { a: 1, b: 2 }, output: { sum: 3 }, description: 'one and two' }],
      ...context,
    },
    ...top,
  } as JsonObject
}
