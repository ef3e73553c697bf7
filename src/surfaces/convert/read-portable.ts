// From a tool of the catalog to its portable form. What cannot be carried is refused with the reason.
import { readFileSync } from 'node:fs'
import { codeField } from '../../formats/rye/field-names.ts'
import { subcommandTokens } from '../../runtimes/command/compile-plan.ts'
import { isPlainObject, type Json, type JsonObject, parseJsonFile } from '../../tool/json.ts'
import { planOf, ryePlanOf } from '../../tool/plans/runtime-plans.ts'
import type { Example, Tool } from '../../tool/tool.ts'
import { sidecarExamples } from '../examples/sidecar-examples.ts'
import {
  type Body,
  type CommandInput,
  type CommandPart,
  inexpressible,
  type Loss,
  type Portable,
} from './portable.ts'
import { stripModule } from './strip-module.ts'

export function readPortable(tool: Tool): Portable {
  if (tool.kind !== 'callable') throw inexpressible(tool.id, `it is a ${tool.kind}, not a callable tool`)
  const body = bodyOf(tool)
  const timeoutMs = timeoutOf(tool)
  return {
    id: tool.id,
    description: tool.description,
    ...(tool.version === '0.0.0' ? {} : { version: tool.version }),
    params: tool.params,
    returns: tool.returns && Object.keys(tool.returns).length > 0 ? tool.returns : null,
    requires: tool.format === 'tool-code' ? documentOf(tool).requires : tool.requires,
    tags: tool.format === 'tool-code' ? [] : tool.tags,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    examples: [...tool.examples, ...sidecarExamples(tool)].map((example) => plainExample(example, tool)),
    body,
    ...(tool.format === 'tools-json' ? { lost: guardsOf(tool) } : {}),
  }
}

/** What tools.json holds a command to beside its parameters. */
function guardsOf(tool: Tool): Loss[] {
  const entry = planOf(tool, 'command')!.entries[0]!
  const lost: Loss[] = []
  const add = (field: string, isLost: boolean, message: string) => {
    if (isLost) lost.push({ field, message })
  }
  add(
    'successExitCodes',
    entry.successExitCodes !== undefined,
    'An exit code other than 0 counts as a failure again.',
  )
  add(
    'paths',
    entry.args.some((arg) => arg.readPath || arg.writePath),
    'Paths are no longer held to where the tool may read and write; only the sandbox is left.',
  )
  add(
    'args',
    entry.args.some((arg) => arg.kind === 'positional' && !arg.allowLeadingDash),
    'A value that begins with "-" is no longer refused as an argument.',
  )
  return lost
}

function timeoutOf(tool: Tool): number | undefined {
  if (tool.format === 'tool-code') return documentOf(tool).timeoutMs
  if (tool.format !== 'tools-json') return tool.limits.timeoutMs
  return planOf(tool, 'command')?.entries[0]?.timeoutMs
}

function bodyOf(tool: Tool): Body {
  if (tool.format === 'mcp') return serverToolOf(tool)
  const file = tool.source.file
  if (file === null) throw inexpressible(tool.id, 'it is made in code')
  switch (tool.format) {
    case 'tools-json':
      return commandOfPlan(tool)
    case 'tool-code': {
      const { source, language } = documentOf(tool)
      const path = language === 'typescript' ? 'tool.ts' : 'tool.js'
      return stripModule(tool.id, path, source, 'tool-code', () => false)
    }
    case 'skill':
      if (!/\.(js|mjs|ts)$/.test(file)) throw inexpressible(tool.id, 'it is a prompt for a model')
      return stripModule(tool.id, file, readFileSync(file, 'utf8'), 'skill', (name) => name === 'frontmatter')
    case 'rye': {
      const plan = ryePlanOf(tool)
      if (/\.(js|mjs|ts)$/.test(file) && plan?.codeFile)
        return stripModule(
          tool.id,
          file,
          readFileSync(file, 'utf8'),
          'rye',
          (name) => codeField(name) !== undefined,
        )
      if (plan?.primitive === 'subprocess' && plan.codeFile === null && plan.runtimeId === null)
        return commandOfConfig(tool, plan.config)
      throw inexpressible(
        tool.id,
        `it runs by ${tool.chain?.at(1)?.id ?? 'an executor'}, which no other format has`,
      )
    }
    default:
      throw inexpressible(tool.id, `tools of the format ${tool.format} have no file`)
  }
}

/** A tool of a foreign server, as far as its server is written without variables. */
function serverToolOf(tool: Tool): Body {
  const { server, tool: name } = planOf(tool, 'mcp')!
  const { command, args = [], env = {}, cwd, url, headers = {} } = server
  const texts = [command, ...args, ...Object.values(env), cwd, url, ...Object.values(headers)]
  const odd = texts.find((text) => text !== undefined && /[{}$]/.test(text))
  if (odd !== undefined)
    throw inexpressible(tool.id, `${JSON.stringify(odd)} of its server would be read as a template`)
  return { kind: 'mcp', server, tool: name }
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

function isText(tool: Tool, param: string): boolean {
  const property = ((tool.params?.['properties'] ?? {}) as JsonObject)[param]
  return isPlainObject(property) && property['type'] === 'string'
}

function commandOfPlan(tool: Tool): Body {
  const entries = planOf(tool, 'command')?.entries
  const entry = entries?.[0]
  if (!entry || entries.length !== 1) throw inexpressible(tool.id, 'it chooses among several commands')
  const odd = Object.keys(entry).find(
    (key) => !['binary', 'subcommand', 'args', 'timeoutMs', 'successExitCodes'].includes(key),
  )
  if (odd) throw inexpressible(tool.id, `its execution sets ${odd}`)
  const always = new Set([
    ...((tool.params?.['required'] as readonly string[] | undefined) ?? []),
    ...Object.entries((tool.params?.['properties'] ?? {}) as JsonObject).flatMap(([name, property]) =>
      isPlainObject(property) && property['default'] !== undefined ? [name] : [],
    ),
  ])
  let input: CommandInput = 'none'
  const parts = entry.args.flatMap((arg): CommandPart[] => {
    const { param } = arg
    const strange = Object.keys(arg).find(
      (key) =>
        !['kind', 'param', 'value', 'option', 'allowLeadingDash', 'readPath', 'writePath'].includes(key),
    )
    if (strange) throw inexpressible(tool.id, `an argument uses ${strange}`)
    if (arg.kind === 'literal') return arg.value === undefined ? [] : [{ text: arg.value }]
    if (!always.has(param)) throw inexpressible(tool.id, `the argument ${param} may be absent`)
    if (arg.kind === 'positional') return [{ param }]
    if (arg.kind === 'stdin' && isText(tool, param)) {
      input = { param }
      return []
    }
    if (arg.kind === 'flag') return [{ text: arg.option! }, { param }]
    throw inexpressible(tool.id, `an argument is of the kind ${arg.kind}`)
  })
  const subcommand = subcommandTokens(entry.subcommand)
  return {
    kind: 'command',
    binary: entry.binary,
    args: [...subcommand.map((text) => ({ text })), ...parts],
    input,
  }
}

interface Document {
  readonly source: string
  readonly language: 'javascript' | 'typescript'
  readonly requires: readonly string[] | null
  readonly timeoutMs: number | undefined
}

/** What a tool.code.v1 document says itself, without the defaults the format fills in. */
function documentOf(tool: Tool): Document {
  const { context } = parseJsonFile(readFileSync(tool.source.file!, 'utf8')) as {
    context: {
      code: { language: Document['language']; source: string }
      limits?: { timeout_ms?: number }
      permissions?: { network?: unknown }
    }
  }
  const { network } = context.permissions ?? {}
  const hosts = Array.isArray(network) ? network.map((host) => `net.http:${String(host)}`) : []
  return {
    ...context.code,
    requires: context.permissions ? (network === true ? ['net.http'] : hosts) : null,
    timeoutMs: context.limits?.timeout_ms,
  }
}

/** rye results stand in `data`; elsewhere the value is the result. */
function plainExample(example: Example, tool: Tool): Example {
  if (tool.format !== 'rye' || !isPlainObject(example.expect) || !('data' in example.expect)) return example
  return { ...example, expect: example.expect['data'] }
}
