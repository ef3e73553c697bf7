// tool.code.v1 documents in portable form.
import { readFileSync } from 'node:fs'
import { parseJsonFile } from '../../tool/json.ts'
import type { Tool } from '../../tool/tool.ts'
import { adapter, contextLoss } from '../code-adapter.ts'
import {
  type Converted,
  codeOf,
  fileOf,
  inexpressible,
  Losses,
  type Portable,
  type PortableForm,
  portableOf,
} from '../portable.ts'
import { stripModule } from '../strip-module.ts'
import { json, snaked } from '../write-words.ts'

export const portable: PortableForm = { read, write }

function read(tool: Tool): Portable {
  const { source: text, language, requires, timeoutMs } = documentOf(tool)
  const path = language === 'typescript' ? 'tool.ts' : 'tool.js'
  const body = stripModule({ id: tool.id, path, text, isMetadata: () => false }, 'tool-code')
  return portableOf(tool, body, { requires, timeoutMs, tags: [] })
}

interface Document {
  readonly source: string
  readonly language: 'javascript' | 'typescript'
  readonly requires: readonly string[] | null
  readonly timeoutMs: number | undefined
}

/** What a tool.code.v1 document says itself, without the defaults the format fills in. */
function documentOf(tool: Tool): Document {
  const { context } = parseJsonFile(readFileSync(fileOf(tool), 'utf8')) as {
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

function write(tool: Portable): Converted {
  const body = codeOf(tool, 'tool-code')
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
  contextLoss(losses, body, 'tool-code')
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
            example.expectError === undefined && example.match === undefined && example.expect !== undefined,
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
