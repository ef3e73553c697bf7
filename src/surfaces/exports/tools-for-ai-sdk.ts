// The crib's tools as `generateText` and `streamText` of the AI SDK take them: a record with `execute`. The schemas are
// Standard Schemas that write themselves as JSON Schema, so the SDK is not imported.
import type { StandardSchema } from '../../tool/standard-schema.ts'
import type { JsonSchema } from '../../tool/tool.ts'
import { exportTools } from './export-tools.ts'
import { type CallableCrib, type LoopOptions, textForModel } from './tool-loop.ts'

// biome-ignore lint/suspicious/noExplicitAny: the SDK's tools are typed by whoever reads the input
type AiSdkSchema = StandardSchema<unknown, any> & {
  readonly '~standard': {
    readonly jsonSchema: {
      readonly input: (options: object) => { [key: string]: unknown }
      readonly output: (options: object) => { [key: string]: unknown }
    }
  }
}

/** One entry of the AI SDK's tool set. */
export interface ExecutableTool {
  description?: string
  inputSchema: AiSdkSchema
  // biome-ignore lint/suspicious/noExplicitAny: as above
  execute(input: any, options?: { abortSignal?: AbortSignal }): Promise<any>
}

/**
 * The record of tools that `generateText` takes. A failed call throws, which the SDK tells the model.
 *
 * @example
 * const { text } = await generateText({ model, prompt, tools: toolsForAiSdk(crib), stopWhen: stepCountIs(5) })
 */
export function toolsForAiSdk(
  crib: CallableCrib,
  { tools = crib.list(), signal }: LoopOptions = {},
): { [name: string]: ExecutableTool } {
  const { definitions, toCall } = exportTools(tools, 'ai-sdk')
  return Object.fromEntries(
    definitions.map(({ name, description, inputSchema }) => [
      name,
      {
        description,
        inputSchema: schemaFor(inputSchema as JsonSchema),
        async execute(input: unknown, { abortSignal }: { abortSignal?: AbortSignal } = {}) {
          const { tool, params } = toCall(name, input)
          const outcome = await crib.call(tool, params, { signal: eitherOf(signal, abortSignal) })
          if (outcome.ok) return outcome.value ?? null
          throw new Error(textForModel(outcome.error))
        },
      },
    ]),
  )
}

function schemaFor(schema: JsonSchema): AiSdkSchema {
  const write = () => ({ ...schema })
  return {
    '~standard': {
      version: 1,
      vendor: 'toolcrib',
      // The crib checks parameters at the call, with every fault told.
      validate: (value) => ({ value }),
      jsonSchema: { input: write, output: write },
    },
  }
}

function eitherOf(...signals: (AbortSignal | undefined)[]): AbortSignal | undefined {
  const given = signals.filter((signal) => signal !== undefined)
  return given.length > 1 ? AbortSignal.any(given) : given[0]
}
