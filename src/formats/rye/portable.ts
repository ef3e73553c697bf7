// rye tools in portable form: data tools are commands, JavaScript and TypeScript tools are code.
import { readFileSync } from 'node:fs'
import { defined } from '../../tool/defined.ts'
import { isPlainObject, type Json, type JsonObject } from '../../tool/json.ts'
import { ryePlanOf } from '../../tool/plans/runtime-plans.ts'
import type { Example, Tool } from '../../tool/tool.ts'
import { adapter, contextLoss } from '../code-adapter.ts'
import {
  type Body,
  type Code,
  type Command,
  type CommandInput,
  type CommandPart,
  type Converted,
  fileOf,
  inexpressible,
  isText,
  Losses,
  type Portable,
  type PortableForm,
  portableOf,
  withoutExpect,
} from '../portable.ts'
import { stripModule } from '../strip-module.ts'
import { categoryOf, dashed, examplesFile, modeline, stemOf } from '../write-words.ts'
import { yamlText } from '../yaml-text.ts'
import { codeField } from './field-names.ts'
import { ryeServerTool } from './portable-server-tool.ts'

export const portable: PortableForm = {
  read: (tool) => portableOf(tool, bodyOf(tool), { examples: tool.examples.map(plainExample) }),
  write(tool) {
    const { body } = tool
    if (body.kind === 'mcp') return ryeServerTool(tool, body)
    return body.kind === 'command' ? ryeData(tool, body) : ryeCode(tool, body)
  },
}

function bodyOf(tool: Tool): Body {
  const file = fileOf(tool)
  const plan = ryePlanOf(tool)
  if (/\.(js|mjs|ts)$/.test(file) && plan?.codeFile) {
    const isMetadata = (name: string) => codeField(name) !== undefined
    return stripModule({ id: tool.id, path: file, text: readFileSync(file, 'utf8'), isMetadata }, 'rye')
  }
  if (plan?.primitive === 'subprocess' && plan.codeFile === null && plan.runtimeId === null)
    return commandOfConfig(tool, plan.config)
  throw inexpressible(
    tool.id,
    `it runs by ${tool.chain?.at(1)?.id ?? 'an executor'}, which no other format has`,
  )
}

/** A rye tool that is configuration only: `command` and `args` with whole parameters in braces. */
function commandOfConfig(tool: Tool, config: JsonObject): Body {
  const { command, args = [], timeout: _, stdin, input_data: inputData = stdin, ...rest } = config
  const odd = Object.keys(rest)[0]
  if (odd !== undefined) throw inexpressible(tool.id, `its config sets ${odd}`)
  if (typeof command !== 'string' || !Array.isArray(args) || /[{$\s]/.test(command))
    throw inexpressible(tool.id, 'its command is more than the name of a program')
  return {
    kind: 'command',
    binary: command,
    args: args.map((arg): CommandPart => {
      if (isPlainObject(arg)) throw inexpressible(tool.id, `the argument ${arg['param']} may be absent`)
      const text = String(arg)
      const param = /^\{([A-Za-z_]\w*)\}$/.exec(text)?.[1]
      if (param !== undefined) return { param }
      if (/[{}$]/.test(text))
        throw inexpressible(tool.id, `the argument ${JSON.stringify(text)} mixes text and parameters`)
      return { text }
    }),
    input: inputOfConfig(tool, inputData),
  }
}

/** What rye gives a program to read: a text with templates; without one all parameters. */
function inputOfConfig(tool: Tool, given: Json | undefined): CommandInput {
  if (given === undefined || given === '{params_json}') return 'params'
  if (given === '') return 'none'
  const param = /^\{([A-Za-z_]\w*)\}$/.exec(String(given))?.[1]
  if (param !== undefined && isText(tool, param)) return { param }
  throw inexpressible(tool.id, 'what it reads on standard input is not one parameter that is a text')
}

/** rye results stand in `data`; elsewhere the value is the result. */
function plainExample(example: Example): Example {
  if (!isPlainObject(example.expect) || !('data' in example.expect)) return example
  return { ...example, expect: example.expect['data'] }
}

function ryeData(tool: Portable, body: Command): Converted {
  const losses = new Losses()
  losses.add(
    'examples',
    tool.examples.some((example) => example.expect !== undefined),
    'Expected results are left out: rye puts the output in an object.',
  )
  for (const { field, message } of tool.lost ?? []) losses.add(field, true, message)
  for (const part of body.args)
    if ('text' in part && /[{}$]/.test(part.text))
      throw inexpressible(tool.id, `the text ${JSON.stringify(part.text)} would be read as a template`)
  const path = `.ai/tools/${tool.id}`
  return {
    files: {
      [`${path}.yaml`]: `${modeline(path, 'rye')}${yamlText(
        defined({
          tool_id: dashed(stemOf(tool.id)),
          tool_type: 'script',
          version: tool.version ?? '0.0.0',
          category: categoryOf(tool.id),
          description: tool.description,
          executor_id: 'subprocess',
          requires: tool.requires || undefined,
          tags: tool.tags.length > 0 ? tool.tags : undefined,
          timeout: tool.timeoutMs === undefined ? undefined : tool.timeoutMs / 1000,
          input_schema: tool.params || undefined,
          output_schema: tool.returns || undefined,
          config: {
            command: body.binary,
            args: body.args.map((part) => ('text' in part ? part.text : `{${part.param}}`)),
            // Without this, rye gives the program all parameters as JSON.
            ...(body.input === 'params'
              ? {}
              : { input_data: body.input === 'none' ? '' : `{${body.input.param}}` }),
          },
        }),
      )}`,
      ...examplesFile(`${path}.examples.yaml`, tool.id, tool.examples.map(withoutExpect), false),
    },
    lost: losses.list,
  }
}

function ryeCode(tool: Portable, body: Code): Converted {
  const losses = new Losses()
  contextLoss(losses, body, 'rye')
  const path = `.ai/tools/${tool.id}`
  const ending = body.language === 'typescript' ? 'ts' : 'mjs'
  const constants: [string, Json][] = [
    ['__version__', tool.version ?? '0.0.0'],
    ['__tool_type__', 'javascript'],
    ['__executor_id__', 'rye/core/runtimes/node/node'],
    ['__category__', categoryOf(tool.id)],
    ['__tool_description__', tool.description],
    ...(tool.requires ? [['__requires__', tool.requires] as [string, Json]] : []),
    ...(tool.tags.length > 0 ? [['__tags__', tool.tags] as [string, Json]] : []),
    ...(tool.timeoutMs === undefined ? [] : [['__timeout__', tool.timeoutMs / 1000] as [string, Json]]),
    ...(tool.params ? [['CONFIG_SCHEMA', tool.params] as [string, Json]] : []),
    ...(tool.returns ? [['OUTPUT_SCHEMA', tool.returns] as [string, Json]] : []),
  ]
  const head = constants
    .map(([name, value]) => `export const ${name} = ${JSON.stringify(value, null, 2)}`)
    .join('\n')
  return {
    files: {
      [`${path}.${ending}`]: `${head}\n\n${body.source}\n${adapter(body, 'rye')}`,
      ...examplesFile(`${path}.examples.yaml`, tool.id, tool.examples.map(asRyeExample), false),
    },
    lost: losses.list,
  }
}

function asRyeExample(example: Example): Example {
  return example.expect !== undefined
    ? { ...example, expect: { success: true, data: example.expect } }
    : example
}
