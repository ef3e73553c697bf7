// Tools made in code, with the functions behind them.
import { makeProgrammaticSkill, type SkillTool } from '../formats/skill/programmatic.ts'
import type { ToolFunction } from '../runtimes/function/function-runtime.ts'
import { isStandardSchema, jsonSchemaOf, parseWith, type StandardSchema } from '../tool/standard-schema.ts'
import { type JsonSchema, makeTool, type Tool } from '../tool/tool.ts'

/** A tool made in code. */
export interface FunctionTool {
  readonly id: string
  readonly description?: string
  /** JSON Schema, or a schema of Zod, Valibot or ArkType, whose defaults and transforms the function gets. */
  readonly params?: JsonSchema | StandardSchema
  readonly returns?: JsonSchema
  readonly tags?: readonly string[]
  readonly requires?: readonly string[]
  readonly fn: ToolFunction
}

export class AddedTools {
  readonly functions = new Map<string, ToolFunction>()
  readonly #tools = new Map<string, Tool>()

  get tools(): readonly Tool[] {
    return [...this.#tools.values()]
  }

  /** With a `name` it is a skill. */
  add(definition: FunctionTool | SkillTool): Tool {
    if ('name' in definition) {
      const { tool, run } = makeProgrammaticSkill(definition)
      return this.#keep(tool, run)
    }
    const { fn, params = null, ...given } = definition
    const schema = isStandardSchema(params) ? params : null
    const tool = makeTool({
      ...given,
      params: schema ? jsonSchemaOf(schema, given.id) : (params as JsonSchema | null),
      format: 'builtin',
      tier: 'project',
      source: { file: null, digest: '' },
      runtime: { name: 'function', plan: { function: given.id } },
    })
    if (!schema) return this.#keep(tool, fn)
    return this.#keep(tool, async (args, attempt) => fn(await parseWith(schema, args, given.id), attempt))
  }

  #keep(tool: Tool, fn: ToolFunction): Tool {
    this.functions.set(tool.id, fn)
    this.#tools.set(tool.id, tool)
    return tool
  }
}
