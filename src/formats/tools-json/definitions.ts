// Tool definitions in the shape OpenAI and Ollama take, and errors in the words a model gets.
import type { JsonSchema, Tool } from '../../tool/tool.ts'
import type { ToolErrorData } from '../../tool/tool-error.ts'
import { noParameters } from './parameters.ts'

export interface FunctionDefinition {
  readonly type: 'function'
  readonly function: { readonly name: string; readonly description?: string; readonly parameters: JsonSchema }
}

/** Usable tools that own their bare name, in the order given (skill order, then file order). */
export function functionDefinitions(tools: readonly Tool[]): FunctionDefinition[] {
  return tools
    .filter((tool) => tool.format === 'tools-json' && tool.state === 'available' && !tool.hidden)
    .map((tool) => ({
      type: 'function',
      function: {
        name: tool.id,
        ...(tool.description !== '' || tool.details?.hasDescription === true
          ? { description: tool.description }
          : {}),
        parameters: tool.params ?? noParameters,
      },
    }))
}

/**
 * What a model sees of a failed call.
 *
 * @example
 * await using crib = await openCrib({ root: '.' })
 * const outcome = await crib.call('say_text', {})
 * if (!outcome.ok) console.log(errorForModel(outcome.error))
 */
export function errorForModel(error: Pick<ToolErrorData, 'code' | 'message'>): string {
  return `error: ${error.code}: ${error.message}`
}
