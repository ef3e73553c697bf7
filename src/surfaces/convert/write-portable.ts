// From the portable form to files of a format, with a word on everything the format cannot say.

import { normaliseTags } from '../../formats/skill/name.ts'
import { equalJson, type Json } from '../../tool/json.ts'
import type { Example } from '../../tool/tool.ts'
import {
  type Body,
  type Convention,
  type Converted,
  inexpressible,
  type Loss,
  type Portable,
} from './portable.ts'
import { ryeServerTool } from './rye-server-tool.ts'
import { adapterMark } from './strip-module.ts'
import { categoryOf, dashed, examplesFile, json, modeline, snaked, stemOf } from './write-words.ts'
import { yamlText } from './yaml-text.ts'

export const targets = ['rye', 'tools-json', 'tool-code', 'skill'] as const
export type Target = (typeof targets)[number]

export function writePortable(tool: Portable, to: Target): Converted {
  const { body } = tool
  if (body.kind === 'mcp') {
    if (to !== 'rye') throw inexpressible(tool.id, `${to} cannot name a tool of an MCP server`)
    return ryeServerTool(tool, body)
  }
  if (to === 'tools-json') {
    if (body.kind !== 'command') throw inexpressible(tool.id, 'tools-json runs commands, and this is code')
    return toolsJson(tool, body)
  }
  if (to === 'rye') return body.kind === 'command' ? ryeData(tool, body) : ryeCode(tool, body)
  if (body.kind === 'command') throw inexpressible(tool.id, `${to} holds code, and this runs ${body.binary}`)
  return to === 'skill' ? skill(tool, body) : toolCode(tool, body)
}

type Command = Extract<Body, { kind: 'command' }>
type Code = Extract<Body, { kind: 'code' }>

class Losses {
  readonly list: Loss[] = []

  add(field: string, isLost: boolean, message: string): void {
    if (isLost) this.list.push({ field, message })
  }

  id(from: string, to: string): void {
    this.add('id', from !== to, `${from} becomes ${to}.`)
  }
}

function toolsJson(tool: Portable, body: Command): Converted {
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
        ...(tool.timeoutMs === undefined ? {} : { timeoutMs: tool.timeoutMs }),
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
      [`${path}.yaml`]: `${modeline(path, 'rye')}${yamlText({
        tool_id: dashed(stemOf(tool.id)),
        tool_type: 'script',
        version: tool.version ?? '0.0.0',
        category: categoryOf(tool.id),
        description: tool.description,
        executor_id: 'subprocess',
        ...(tool.requires ? { requires: tool.requires } : {}),
        ...(tool.tags.length > 0 ? { tags: tool.tags } : {}),
        ...(tool.timeoutMs === undefined ? {} : { timeout: tool.timeoutMs / 1000 }),
        ...(tool.params ? { input_schema: tool.params } : {}),
        ...(tool.returns ? { output_schema: tool.returns } : {}),
        config: {
          command: body.binary,
          args: body.args.map((part) => ('text' in part ? part.text : `{${part.param}}`)),
          // Without this, rye gives the program all parameters as JSON.
          ...(body.input === 'params'
            ? {}
            : { input_data: body.input === 'none' ? '' : `{${body.input.param}}` }),
        },
      })}`,
      ...examplesFile(`${path}.examples.yaml`, tool.id, tool.examples.map(withoutExpect), false),
    },
    lost: losses.list,
  }
}

function ryeCode(tool: Portable, body: Code): Converted {
  const losses = new Losses()
  fenceLoss(losses, body, 'rye')
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

function skill(tool: Portable, body: Code): Converted {
  const name = dashed(tool.id)
  const losses = new Losses()
  losses.id(tool.id, name)
  losses.add(
    'requires',
    tool.requires !== null,
    'A code skill declares no capabilities; it runs inside Toolcrib, without a fence.',
  )
  losses.add(
    'tags',
    !equalJson(normaliseTags(tool.tags as Json), tool.tags),
    'Tags of skills are lower case with hyphens, and are written so.',
  )
  losses.add(
    'timeout',
    tool.timeoutMs !== undefined,
    'The time limit of skills is skills.timeoutMs in toolcrib.yaml.',
  )
  fenceLoss(losses, body, 'skill')
  const ending = body.language === 'typescript' ? 'ts' : 'js'
  const frontmatter = {
    name,
    description: tool.description,
    metadata: {
      ...(tool.version === undefined ? {} : { version: tool.version }),
      params: tool.params ?? { type: 'object' },
      ...(tool.returns ? { returns: tool.returns } : {}),
      ...(tool.tags.length > 0 ? { tags: tool.tags } : {}),
    },
  }
  return {
    files: {
      [`skills/${name}.skill.${ending}`]: `export const frontmatter = ${JSON.stringify(frontmatter, null, 2)}\n\n${body.source}\n${adapter(body, 'skill')}`,
      ...examplesFile(`skills/${name}.skill.examples.yaml`, name, tool.examples, false),
    },
    lost: losses.list,
  }
}

function toolCode(tool: Portable, body: Code): Converted {
  const name = snaked(tool.id)
  const losses = new Losses()
  losses.id(tool.id, name)
  if (/^\s*import\b/m.test(body.source))
    throw inexpressible(tool.id, 'it imports modules, which the Deno sandbox has not')
  const carried = (tool.requires ?? []).filter((need) => need === 'net.http' || need.startsWith('net.http:'))
  losses.add(
    'requires',
    tool.requires === null || carried.length < tool.requires.length,
    'tool-code knows only the network; files and programs are never granted there.',
  )
  losses.add(
    'timeout',
    tool.timeoutMs === undefined,
    'A time limit of 30 s, the usual one there, is written.',
  )
  losses.add('tags', tool.tags.length > 0, 'The tags of the document are those of its breadcrumb.')
  losses.add(
    'examples',
    tool.examples.some((example) => example.expectError !== undefined || example.match !== undefined),
    'Examples that expect an error or compare in part are left out.',
  )
  fenceLoss(losses, body, 'tool-code')
  const hosts = carried.flatMap((need) => (need === 'net.http' ? [] : [need.slice('net.http:'.length)]))
  const document = {
    $schema: '../.toolcrib/schemas/tool-code.json',
    schema_name: 'tool.code.v1',
    title: tool.description.slice(0, 80) || name,
    tags: ['tool', `tool:${name}`, 'workspace:tools', 'self-contained'],
    context: {
      name,
      description: tool.description,
      version: tool.version ?? '1.0.0',
      code: { language: body.language, source: `${body.source}\n${adapter(body, 'tool-code')}` },
      input_schema: tool.params ?? { type: 'object', properties: {} },
      output_schema: tool.returns ?? {},
      required_secrets: [],
      limits: { memory_mb: 128, timeout_ms: tool.timeoutMs ?? 30_000, cpu_percent: 100 },
      permissions: { network: hosts.length > 0 ? hosts : carried.length > 0 },
      examples: tool.examples
        .filter(
          (example) =>
            example.expectError === undefined && example.match === undefined && 'expect' in example,
        )
        .map((example) => ({
          description: example.title ?? 'example',
          input: example.params,
          output: example.expect,
        })),
    },
  }
  return { files: { [`crumbs/${name}.json`]: json(document) }, lost: losses.list }
}

function fenceLoss(losses: Losses, body: Code, to: Convention): void {
  const second = { rye: 'projectPath', skill: 'ctx', 'tool-code': 'context' }
  losses.add(
    'context',
    body.convention !== to,
    `The entry was written for ${body.convention}; its ${second[body.convention]} holds only what ${to} can give.`,
  )
}

/** Lets an entry of one convention be called by another; nothing when they are the same. */
function adapter({ convention, entry }: Code, to: Convention): string {
  if (convention === to) return to === 'tool-code' ? exportAs('execute', entry) : `export default ${entry}\n`
  const mark = `${adapterMark}${convention}, ${entry}\n`
  const call =
    convention === 'rye'
      ? `const result = await ${entry}(args, ${to === 'skill' ? 'process.cwd()' : "'.'"})\n  if (result?.success === false) throw new Error(result.error ?? 'failed')\n  return result?.data ?? result`
      : convention === 'skill'
        ? `return await ${entry}({}, args)`
        : `return await ${entry}(args, { log: console })`
  if (to === 'skill') return `${mark}export default async (ctx, args) => {\n  ${call}\n}\n`
  if (to === 'tool-code') return `${mark}export async function execute(args, context) {\n  ${call}\n}\n`
  return `${mark}export default async (args) => {\n  const run = async () => {\n    ${call}\n  }\n  return { success: true, data: await run() }\n}\n`
}

function exportAs(name: string, entry: string): string {
  return entry === name ? `export { ${entry} }\n` : `export { ${entry} as ${name} }\n`
}

function withoutExpect({ expect: _, ...rest }: Example): Example {
  return rest
}

function asRyeExample(example: Example): Example {
  return 'expect' in example ? { ...example, expect: { success: true, data: example.expect } } : example
}
