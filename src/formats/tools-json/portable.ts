// Commands of tools.json in portable form.
import { isPlainObject, type JsonObject } from '../../tool/json.ts'
import { subcommandTokens } from '../../tool/plans/command-plan.ts'
import { planOf } from '../../tool/plans/runtime-plans.ts'
import type { Tool } from '../../tool/tool.ts'
import {
  type Body,
  type CommandInput,
  type CommandPart,
  type Converted,
  fileOf,
  inexpressible,
  isText,
  type Loss,
  Losses,
  noServerTool,
  type Portable,
  type PortableForm,
  portableOf,
  withoutExpect,
} from '../portable.ts'
import { dashed, examplesFile, json, snaked } from '../write-words.ts'
import { yamlText } from '../yaml-text.ts'

export const portable: PortableForm = { read, write }

function read(tool: Tool): Portable {
  fileOf(tool)
  const body = commandOfPlan(tool)
  const { timeoutMs } = planOf(tool, 'command')!.entries[0]!
  return portableOf(tool, body, { timeoutMs, lost: guardsOf(tool) })
}

/** What tools.json holds a command to beside its parameters. */
function guardsOf(tool: Tool): Loss[] {
  const entry = planOf(tool, 'command')!.entries[0]!
  const losses = new Losses()
  losses.add(
    'successExitCodes',
    entry.successExitCodes !== undefined,
    'An exit code other than 0 counts as a failure again.',
  )
  losses.add(
    'paths',
    entry.args.some((arg) => arg.readPath || arg.writePath),
    'Paths are no longer held to where the tool may read and write; only the sandbox is left.',
  )
  losses.add(
    'args',
    entry.args.some((arg) => arg.kind === 'positional' && !arg.allowLeadingDash),
    'A value that begins with "-" is no longer refused as an argument.',
  )
  return losses.list
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

function write(tool: Portable): Converted {
  const { body } = tool
  if (body.kind === 'mcp') throw noServerTool(tool.id, 'tools-json')
  if (body.kind !== 'command') throw inexpressible(tool.id, 'tools-json runs commands, and this is code')
  const name = snaked(tool.id)
  // A skill and its tool need ids of their own.
  const folder = dashed(tool.id) === name ? `${name}-skill` : dashed(tool.id)
  const losses = new Losses()
  losses.id(tool.id, name)
  losses.add('version', tool.version !== undefined, 'tools.json has no version of a tool.')
  losses.add('returns', tool.returns !== null, 'tools.json has no schema of the result.')
  losses.add('requires', tool.requires !== null, 'The allowlist takes the place of capabilities.')
  losses.add('tags', tool.tags.length > 0, 'tools.json has no tags.')
  const values = body.args.filter((part) => 'param' in part)
  losses.add(
    'input',
    body.input === 'params',
    'The program no longer gets the parameters as JSON on standard input.',
  )
  losses.add('args', values.length > 0, 'A value that begins with "-" is refused as an argument.')
  losses.add(
    'examples',
    tool.examples.some((example) => example.expect !== undefined),
    'Expected results are left out: tools-json gives the output as text.',
  )
  const document = {
    $schema: '../../.toolcrib/schemas/tools-json.json',
    tools: [
      { name, description: tool.description, parameters: tool.params ?? { type: 'object', properties: {} } },
    ],
    allowlist: { [body.binary]: [''] },
    execution: [
      {
        tool: name,
        binary: body.binary,
        subcommand: '',
        timeoutMs: tool.timeoutMs,
        args: [
          ...body.args.map((part) =>
            'text' in part
              ? { kind: 'literal', value: part.text }
              : { kind: 'positional', param: part.param },
          ),
          ...(typeof body.input === 'object' ? [{ kind: 'stdin', param: body.input.param }] : []),
        ],
      },
    ],
  }
  return {
    files: {
      [`skills/${folder}/SKILL.md`]: `---\n${yamlText({ name: folder, description: tool.description || name, metadata: { requires: { bins: [body.binary] } } })}---\n\n# ${name}\n\nUse \`${name}\`: ${tool.description}\n`,
      [`skills/${folder}/tools.json`]: json(document),
      ...examplesFile(`skills/${folder}/tools.examples.yaml`, name, tool.examples.map(withoutExpect), true),
    },
    lost: losses.list,
  }
}
