// What an agent's model can call: the crib's tools by name, or, when there are too many, the means to find them;
// skills to read; and the call that ends a run with a structured result.
import { defined } from '../../tool/defined.ts'
import { nearNames } from '../../tool/near-names.ts'
import type { Outcome } from '../../tool/outcome.ts'
import { withoutResolve } from '../../tool/schema/resolve-schema.ts'
import { type JsonSchema, modelName, type Tool } from '../../tool/tool.ts'
import { errorData, ToolError } from '../../tool/tool-error.ts'
import type { ModelTool } from './ask-model.ts'
import type { CribView } from './crib-view.ts'
import { type Asking, describeSkill, discoverTools } from './describe-skills.ts'
import { discoverParams, queryOf, refOf, refParams } from './query-params.ts'

/** The name under which a structured result is given. */
export const returnResult = 'return_result'

const maxOffered = 40
const maxCharacters = 200_000
const ownNames = [returnResult, 'read_skill', 'agent-discover', 'skill-describe', 'tool-call']

interface AgentTool extends ModelTool {
  run(input: unknown): Promise<unknown>
}

export interface AgentToolsOptions {
  readonly view: CribView
  readonly asking: Asking & { readonly from: object }
  /** The schema a result must have; null: the last text is the result. */
  readonly returns: JsonSchema | null
  /** Skills whose text can be asked for, with what gives the text. */
  readonly readable: ReadonlyMap<string, () => string>
}

export class AgentTools {
  /** As the model is told of them, sorted by name. */
  readonly definitions: readonly ModelTool[]
  readonly #byName: ReadonlyMap<string, AgentTool>
  readonly #options: AgentToolsOptions

  constructor(options: AgentToolsOptions) {
    this.#options = options
    const { view, asking, returns } = options
    const offered = view.offered(asking.principal)
    // What ships with the program does not count against what the crib brings.
    const counted = offered.filter((tool) => tool.tier !== 'system').length
    const own = counted > maxOffered ? finders(view, asking, offered) : named(view, asking, offered)
    const tools = [...own, ...readers(options.readable)]
    this.#byName = new Map(tools.map((tool) => [tool.name, tool]))
    this.definitions = [
      ...tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
      ...(returns ? [returnTool(returns)] : []),
    ]
  }

  /** Runs one call of the model; what comes back is the text it reads. Never rejects. */
  async call(name: string, input: unknown): Promise<string> {
    try {
      const tool = this.#byName.get(name) ?? this.#withheld(name)
      if (!tool) throw this.#unknown(name)
      return textOf(await tool.run(input))
    } catch (error) {
      return errorText(error)
    }
  }

  /** A tool that only the agent's list keeps from it: calling it is a call that is denied, and recorded as that. */
  #withheld(name: string): Pick<AgentTool, 'run'> | undefined {
    const { view, asking } = this.#options
    const { allowedTools: list, ...unbound } = asking.principal
    if (list === undefined) return undefined
    const tool = view
      .offered(unbound)
      .find(
        (each) =>
          (each.id === name || modelName(each.id) === name) && !view.isVisible(each, asking.principal),
      )
    return tool && { run: async (input) => resultOf(await view.callAsAgent(tool, input, asking.from)) }
  }

  #unknown(name: string): ToolError {
    const names = this.definitions.map((tool) => tool.name)
    const near = nearNames(name, names, 1)
    return new ToolError(
      'TOOL_NOT_FOUND',
      `there is no tool "${name}"${near.length > 0 ? `; did you mean "${near[0]}"?` : '.'}`,
    )
  }
}

/** What a failed call looks like to a model. */
function errorText(error: unknown): string {
  const { code, message } = errorData(error)
  return `error: ${code}: ${message}`
}

/** A result as a model reads it; what would fill its memory is cut. */
function textOf(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  if (text.length <= maxCharacters) return text
  return `${text.slice(0, maxCharacters)}\n[cut: ${text.length - maxCharacters} more characters]`
}

function resultOf(outcome: Outcome): unknown {
  if (outcome.ok) return outcome.value === undefined ? 'done' : outcome.value
  const { code, message } = outcome.error
  return `error: ${code}: ${message}`
}

/** Every tool under a name that providers take; a clash gets a number. */
function named(view: CribView, asking: AgentToolsOptions['asking'], tools: readonly Tool[]): AgentTool[] {
  const taken = new Set(ownNames)
  return tools.map((tool) => {
    const wanted = modelName(tool.id)
    let name = wanted
    for (let n = 2; taken.has(name); n++) name = `${wanted.slice(0, 60)}-${n}`
    taken.add(name)
    const { params } = view.described(tool, asking.from)
    return {
      name,
      description: tool.description,
      inputSchema: objectSchema(params),
      run: async (input) => resultOf(await view.callAsAgent(tool, input, asking.from)),
    }
  })
}

function objectSchema(params: JsonSchema | null): JsonSchema {
  if (params === null) return { type: 'object', properties: {}, additionalProperties: false }
  return { properties: {}, ...withoutResolve(params), type: 'object' }
}

/** In place of more tools than a model can choose from: search, description, call. */
function finders(view: CribView, asking: AgentToolsOptions['asking'], tools: readonly Tool[]): AgentTool[] {
  return [
    {
      name: 'agent-discover',
      description: `Finds tools by words and tags. There are ${tools.length} tools.`,
      inputSchema: discoverParams,
      run: async (input) => discoverTools(view, queryOf(input), asking),
    },
    {
      name: 'skill-describe',
      description: 'Everything about one tool or skill: its parameters, its result, its text.',
      inputSchema: refParams,
      run: async (input) => describeSkill(view, refOf(input), asking),
    },
    {
      name: 'tool-call',
      description: 'Calls a tool that agent-discover found.',
      inputSchema: {
        type: 'object',
        required: ['name'],
        additionalProperties: false,
        properties: {
          name: { type: 'string', description: 'Name of the tool.' },
          args: { type: 'object', description: 'Its parameters, as described.' },
        },
      },
      run: async (input) => {
        const { name, args } = input as { name?: unknown; args?: unknown }
        if (typeof name !== 'string') throw new ToolError('PARAMS_INVALID', '/name must be string')
        const tool = await view.resolve(name, { as: asking.principal, load: 'static' })
        return resultOf(await view.callAsAgent(tool, args ?? {}, asking.from))
      },
    },
  ]
}

function readers(readable: ReadonlyMap<string, () => string>): AgentTool[] {
  if (readable.size === 0) return []
  return [
    {
      name: 'read_skill',
      description: 'Returns the instructions of a skill. Call it before you use the skill.',
      inputSchema: {
        type: 'object',
        required: ['skill_name'],
        properties: { skill_name: { type: 'string', enum: [...readable.keys()] } },
      },
      run: async (input) => {
        const { skill_name: name } = input as { skill_name?: unknown }
        const read = typeof name === 'string' ? readable.get(name) : undefined
        if (!read)
          throw new ToolError(
            'PARAMS_INVALID',
            `/skill_name must be one of ${[...readable.keys()].join(', ')}.`,
          )
        return read()
      },
    },
  ]
}

/** Whether a result schema must be wrapped, because tools take objects. */
export function isWrapped(returns: JsonSchema): boolean {
  return returns['type'] !== 'object'
}

function returnTool(returns: JsonSchema): ModelTool {
  return {
    name: returnResult,
    description: 'Gives the result and ends the work. Call it exactly once, when you are done.',
    inputSchema: isWrapped(returns) ? wrapped(withoutResolve(returns)) : objectSchema(returns),
  }
}

/** Definitions stay at the root, where references look for them. */
function wrapped({ $defs, definitions, ...value }: JsonSchema): JsonSchema {
  return defined({
    type: 'object',
    required: ['value'],
    properties: { value },
    $defs,
    definitions,
  })
}
