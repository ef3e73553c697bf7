// The definition of a tool that runs a script: one Rye YAML file for each way to call it.
import { Document, isMap, isScalar, isSeq, visit, type YAMLMap, type YAMLSeq } from 'yaml'
import type { Json, JsonObject } from '../../../tool/json.ts'
import { categoryOf, dashed, modeline } from '../../write-words.ts'
import type { ScriptCommand, ScriptParam } from './script-interface.ts'

export interface ScriptTool {
  readonly id: string
  readonly description: string
  readonly command: ScriptCommand
  /** The program and what stands before the script's own arguments. */
  readonly program: string
  readonly leading: readonly string[]
  /** The runtime entry that finds the program; `subprocess` for a plain one. */
  readonly executor: string
  /** Undefined: it is not known; the tool gets what is granted. */
  readonly requires: readonly string[] | undefined
  /** A parameter for what the script reads on standard input. */
  readonly readsInput: boolean
  readonly examples: readonly JsonObject[]
  /** Said in the first line of the file. */
  readonly origin: string
}

/** What the parameter for standard input is called: a parameter of the script keeps its own name. */
function inputName({ params }: ScriptCommand): string {
  return params.some(({ name }) => name === 'input') ? 'stdin' : 'input'
}

/** Path under the crib, and text, of the definition. */
export function scriptToolFile(tool: ScriptTool): { readonly path: string; readonly text: string } {
  const path = `.ai/tools/${tool.id}.yaml`
  const { params, words } = tool.command
  const before = params.filter(({ isBefore }) => isBefore)
  const after = params.filter(({ isBefore }) => !isBefore)
  const flagged = after.filter(({ flag }) => flag !== undefined)
  // A list that takes all that follows stands last; options before it, so that it swallows none.
  const positional = after.filter(({ flag }) => flag === undefined)
  const definition = {
    tool_id: dashed(tool.id),
    tool_type: 'script',
    version: '1.0.0',
    category: categoryOf(tool.id),
    description: tool.description,
    executor_id: tool.executor,
    ...(tool.requires ? { requires: tool.requires } : {}),
    input_schema: schemaOf(tool),
    config: {
      command: tool.program,
      args: [
        ...tool.leading,
        ...before.map(argumentOf),
        ...words,
        ...flagged.map(argumentOf),
        ...(endsTogether(flagged) && positional.length > 0 ? ['--'] : []),
        ...positional.map(argumentOf),
      ],
      input_data: tool.readsInput ? `{${inputName(tool.command)}}` : '',
      output: 'plain',
    },
    ...(tool.examples.length > 0 ? { documentation: { examples: tool.examples } } : {}),
  }
  return { path, text: `# ${tool.origin}\n${modeline(path, 'rye')}${shortYaml(definition)}` }
}

/** YAML with one argument, and one list of values, per line. */
function shortYaml(definition: object): string {
  const document = new Document(definition, { version: '1.1' })
  const isShort = (node: unknown): node is YAMLMap | YAMLSeq =>
    (isMap(node) && node.has('param')) || (isSeq(node) && node.items.every(isScalar))
  visit(document, {
    Collection(_, node) {
      if (isShort(node)) node.flow = true
    },
  })
  return document.toString({ lineWidth: 110, flowCollectionPadding: true })
}

function endsTogether(flagged: readonly ScriptParam[]): boolean {
  return flagged.some(({ list, count }) => list === 'together' && count?.max === undefined)
}

/** One entry of `config.args`: left out as a whole when the parameter is absent. */
function argumentOf(param: ScriptParam): JsonObject {
  const { name, flag, off, joint, list } = param
  return {
    param: name,
    ...(flag === undefined ? {} : { flag: `${flag}${joint ?? ''}` }),
    ...(off === undefined ? {} : { else: off }),
    ...(list === 'together' && flag !== undefined ? { together: true } : {}),
  }
}

function schemaOf({ command, readsInput }: ScriptTool): JsonObject {
  const { params } = command
  const required = params.filter(({ isRequired }) => isRequired).map(({ name }) => name)
  const properties: { [name: string]: Json } = {}
  for (const param of params) properties[param.name] = propertyOf(param)
  if (readsInput)
    properties[inputName(command)] ??= {
      type: 'string',
      default: '',
      description: 'Text on its standard input.',
    }
  return {
    type: 'object',
    properties,
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  }
}

function propertyOf(param: ScriptParam): JsonObject {
  const { type, list, count, choices, minimum, maximum, fallback } = param
  const values = choices?.map((choice) => (type === 'string' ? String(choice) : choice))
  const item: JsonObject = {
    type,
    ...(values ? { enum: values as Json[] } : {}),
    ...(minimum === undefined ? {} : { minimum }),
    ...(maximum === undefined ? {} : { maximum }),
  }
  const shape: JsonObject = list
    ? {
        type: 'array',
        items: item,
        ...(count?.min ? { minItems: count.min } : {}),
        ...(count?.max ? { maxItems: count.max } : {}),
      }
    : item
  // A default that looks like an option cannot stand by itself on a command line.
  const isShort = Array.isArray(fallback) && fallback.length < (count?.min ?? 0)
  const isOption = param.flag === undefined && String(fallback).startsWith('-')
  const isUsable = fallback !== undefined && !isOption && !isShort
  const settled = isUsable ? (type === 'string' && !list ? String(fallback) : fallback) : undefined
  return {
    ...shape,
    ...(settled === undefined || (values && !values.includes(settled)) ? {} : { default: settled }),
    description: param.description ?? wordsOf(param),
  }
}

/** A parameter nobody described still says what it is. */
function wordsOf({ name, flag }: ScriptParam): string {
  const words = name.replaceAll('_', ' ')
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}${flag === undefined ? '' : ` (${flag})`}.`
}
