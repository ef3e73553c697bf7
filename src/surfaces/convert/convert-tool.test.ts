// Converting there and back: what was not reported lost is equal, and the new tool gives what the old one gave.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openCrib } from '../../crib/open-crib.ts'
import type { Format } from '../../formats/format.ts'
import { type Portable, portableOf } from '../../formats/portable.ts'
import { formats } from '../../formats/registry.ts'
import { makeTool, type Tool } from '../../tool/tool.ts'
import * as convert from './convert-tool.ts'

const readPortable = (tool: Tool) => convert.readPortable(formats, tool)
const writePortable = (tool: Portable, to: string) => convert.writePortable(formats, tool, to)

type Files = { readonly [path: string]: string }

/** Opens a crib of these files, hands over its only tool, and removes everything. */
async function withTool<T>(
  files: Files,
  use: (tool: Tool, call: (params: unknown) => Promise<unknown>) => T,
): Promise<Awaited<T>> {
  const root = mkdtempSync(join(tmpdir(), 'convert-'))
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), text)
    }
    await using crib = await openCrib({ root, env: { ...process.env, HOME: root }, cache: false })
    await crib.discover()
    const [tool, ...others] = crib
      .list({ all: true })
      .filter((each) => each.kind === 'callable' && each.tier === 'project')
    expect(others).toEqual([])
    expect(crib.problems.filter((problem) => problem.severity !== 'info')).toEqual([])
    return await use(tool!, async (params) => {
      const outcome = await crib.call(tool!, params)
      return outcome.ok ? crib.resultPart(tool!, outcome.value) : outcome.error.message
    })
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

/** The fields both must agree on: all that no loss names. */
function kept(tool: Portable, lost: ReadonlySet<string>): object {
  const { body: _, id, ...fields } = tool
  const all: Record<string, unknown> = { ...fields, ...(lost.has('id') ? {} : { id }) }
  for (const field of lost) delete all[field === 'timeout' ? 'timeoutMs' : field]
  return all
}

const words = fc.stringMatching(/^[A-Z][a-z]{2,9}( [a-z]{2,9}){0,4}$/)
const name = fc.stringMatching(/^[a-z][a-z_]{0,8}[a-z]$/).filter((text) => !text.includes('__'))
const property = fc.oneof(
  fc.record({ type: fc.constant('string'), description: words, maxLength: fc.integer({ min: 1, max: 99 }) }),
  fc.record({ type: fc.constant('integer'), description: words, minimum: fc.integer({ min: -9, max: 9 }) }),
  fc.record({ type: fc.constant('boolean'), description: words }),
  fc.record({ type: fc.constant('array'), items: fc.constant({ type: 'string' }), description: words }),
)
const facts = fc.record({
  description: words,
  version: fc
    .tuple(fc.nat(9), fc.nat(9), fc.nat(9))
    .map((parts) => parts.join('.'))
    .filter((v) => v !== '0.0.0'),
  properties: fc.dictionary(name, property, { minKeys: 1, maxKeys: 4 }),
  tags: fc.uniqueArray(name, { maxLength: 3 }),
  requires: fc.option(fc.subarray(['net.http', 'fs.read'])),
  timeout: fc.option(fc.integer({ min: 1, max: 500 })),
})

async function thereAndBack(files: Files, there: string): Promise<void> {
  const first = await withTool(files, readPortable)
  const out = writePortable(first, there)
  const second = await withTool(out.files, readPortable)
  const origin: string = Object.keys(files)[0]!.startsWith('.ai') ? 'rye' : 'skill'
  const back = writePortable(second, origin)
  const third = await withTool(back.files, readPortable)
  const lost = new Set([...out.lost, ...back.lost].map(({ field }) => field))
  expect(kept(third, lost)).toEqual(kept(first, lost))
  if (lost.has('input')) expect({ ...third.body, input: 'params' }).toEqual(first.body)
  else expect(third.body).toEqual(first.body)
}

describe('there and back gives an equal tool', () => {
  it('a command: rye, tools-json, rye', async () => {
    await fc.assert(
      fc.asyncProperty(
        facts,
        fc.array(fc.stringMatching(/^[a-z%-]{1,9}$/), { maxLength: 3 }),
        fc.boolean(),
        (tool, literals, reads) => {
          const names = Object.keys(tool.properties)
          const text = names.find((each) => tool.properties[each]!.type === 'string')
          return thereAndBack(
            {
              '.ai/tools/some_tool.yaml': JSON.stringify({
                tool_id: 'some-tool',
                tool_type: 'script',
                version: tool.version,
                category: '',
                description: tool.description,
                executor_id: 'subprocess',
                ...(tool.requires ? { requires: tool.requires } : {}),
                tags: tool.tags,
                ...(tool.timeout ? { timeout: tool.timeout } : {}),
                input_schema: { type: 'object', properties: tool.properties, required: names },
                config: {
                  command: 'echo',
                  args: [...literals, ...names.map((each) => `{${each}}`)],
                  ...(reads ? { input_data: text ? `{${text}}` : '' } : {}),
                },
              }),
            },
            'tools-json',
          )
        },
      ),
      {
        numRuns: 25,
        // A name that older readers of YAML take for a boolean.
        examples: [
          [
            {
              description: 'Aaa',
              version: '0.0.1',
              properties: { on: { type: 'string', description: 'Aaa', maxLength: 1 } },
              tags: [],
              requires: null,
              timeout: null,
            },
            [],
            false,
          ],
        ],
      },
    )
  })

  it.each(['skill', 'tool-code'] as const)('code: rye, %s, rye', async (there) => {
    await fc.assert(
      fc.asyncProperty(facts, fc.boolean(), (tool, isNamed) =>
        thereAndBack(
          {
            '.ai/tools/some_tool.mjs': `export const __version__ = ${JSON.stringify(tool.version)}
export const __tool_type__ = 'javascript'
export const __executor_id__ = 'rye/core/runtimes/node/node'
export const __category__ = ''
export const __tool_description__ = ${JSON.stringify(tool.description)}
${tool.requires ? `export const __requires__ = ${JSON.stringify(tool.requires)}\n` : ''}export const __tags__ = ${JSON.stringify(tool.tags)}
export const CONFIG_SCHEMA = ${JSON.stringify({ type: 'object', properties: tool.properties })}
const half = 21
export default ${isNamed ? 'function main' : 'async function '}(params) {
  return { success: true, data: { answer: half * 2 } }
}
`,
          },
          there,
        ),
      ),
      { numRuns: 15 },
    )
  })
})

const counter = {
  'skills/word-count.skill.ts': `export const frontmatter = { name: 'word-count', description: 'Count words', metadata: { params: { type: 'object', properties: { text: { type: 'string', description: 'Text' } }, required: ['text'] }, returns: { type: 'object', required: ['words'] } } }
export default async function count(ctx: unknown, { text }: { text: string }) {
  return { words: text.split(' ').length }
}
`,
}

describe('a converted tool gives what the original gave', () => {
  it.each(['rye', 'tool-code'] as const)('a skill as %s', async (to) => {
    const { files, lost } = writePortable(await withTool(counter, readPortable), to)
    expect(lost.map(({ field }) => field)).toContain('context')
    const given = await withTool(files, (_tool, call) => call({ text: 'a b c' }))
    expect(given).toEqual({ words: 3 })
  })

  it('a rye command as tools-json', async () => {
    const files = {
      '.ai/tools/say/word.yaml':
        'tool_id: word\ntool_type: script\nversion: "1.0.0"\ncategory: say\ndescription: says\nexecutor_id: subprocess\nparameters:\n  - { name: text, type: string, required: true, description: word }\nconfig: { command: echo, args: [hello, "{text}"] }\n',
    }
    const { files: out } = writePortable(await withTool(files, readPortable), 'tools-json')
    expect(await withTool(out, (_tool, call) => call({ text: 'you' }))).toBe('hello you\n')
  })
})

it('a command that reads a text, from tools-json and back from rye', async () => {
  const files = {
    'skills/letters/SKILL.md': '---\nname: letters\ndescription: Letters\n---\nText.\n',
    'skills/letters/tools.json': JSON.stringify({
      tools: [
        {
          name: 'upper',
          description: 'Capitals',
          parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
        },
      ],
      allowlist: { tr: [''] },
      execution: [
        {
          tool: 'upper',
          binary: 'tr',
          subcommand: '',
          args: [
            { kind: 'literal', value: 'a-z' },
            { kind: 'literal', value: 'A-Z' },
            { kind: 'stdin', param: 'text' },
          ],
        },
      ],
    }),
  }
  const there = writePortable(await withTool(files, readPortable), 'rye')
  const back = writePortable(await withTool(there.files, readPortable), 'tools-json')
  for (const each of [files, there.files, back.files]) {
    const given = await withTool(each, (_tool, call) => call({ text: 'crib' }))
    expect(given instanceof Object && 'output' in given ? given.output : given).toBe('CRIB')
  }
})

it('a command of tools-json as rye: the subcommand word by word, and what no longer guards it', async () => {
  const files = {
    'skills/say/SKILL.md': '---\nname: say\ndescription: Says\n---\nText.\n',
    'skills/say/tools.json': JSON.stringify({
      tools: [
        {
          name: 'say_word',
          parameters: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
        },
      ],
      allowlist: { printf: ['%s-%s-%s one  two'] },
      execution: [
        {
          tool: 'say_word',
          binary: 'printf',
          subcommand: '%s-%s-%s one  two',
          successExitCodes: [3],
          args: [{ kind: 'literal' }, { param: 'word', readPath: true }],
        },
      ],
    }),
  }
  const { files: out, lost } = writePortable(await withTool(files, readPortable), 'rye')
  expect(lost.map(({ field }) => field)).toEqual(['successExitCodes', 'paths', 'args'])
  const given = (await withTool(out, (_tool, call) => call({ word: 'three' }))) as { output: string }
  expect(given.output).toBe('one-two-three')
})

it('a tool of an MCP server as rye', async () => {
  const examples = fileURLToPath(new URL('../../../examples/', import.meta.url))
  const server = { 'servers/units.mjs': readFileSync(`${examples}servers/units.mjs`, 'utf8') }
  const files = {
    ...server,
    '.mcp.json': readFileSync(`${examples}.mcp.json`, 'utf8'),
    '.mcp.examples.yaml': readFileSync(`${examples}.mcp.examples.yaml`, 'utf8'),
  }
  const question = { value: 2, from: 'km', to: 'm' }
  const [portable, given] = await withTool(
    files,
    async (tool, call) => [readPortable(tool), await call(question)] as const,
  )
  expect(given).toEqual({ value: 2000, unit: 'm' })
  const { files: out } = writePortable(portable, 'rye')
  expect(Object.keys(out)).toContain('.ai/tools/mcp/units/convert.yaml')
  const [tool, answer] = await withTool(
    { ...server, ...out },
    async (each, call) => [each, await call(question)] as const,
  )
  expect(answer).toEqual(given)
  expect([tool.id, tool.params, tool.returns]).toEqual([
    'mcp/units/convert',
    portable.params,
    portable.returns,
  ])
  expect(() => writePortable(portable, 'skill')).toThrow('cannot name a tool of an MCP server')
})

it.each([
  [
    'a template inside an argument',
    'config: { command: echo, args: ["a{text}"] }\n',
    'mixes text and parameters',
  ],
  ['a setting of its own', 'config: { command: echo, cwd: / }\n', 'its config sets cwd'],
])('refuses %s', async (_, config, why) => {
  const files = {
    '.ai/tools/word.yaml': `tool_id: word\ntool_type: script\nversion: "1.0.0"\ncategory: ""\ndescription: says\nexecutor_id: subprocess\nparameters:\n  - { name: text, type: string, required: true, description: word }\n${config}`,
  }
  await expect(withTool(files, readPortable)).rejects.toThrow(why)
})

describe('a format of a plugin', () => {
  const letter: Format = {
    name: 'letter',
    rank: 9,
    units: () => [],
    parse: () => ({ tools: [], problems: [] }),
    portable: {
      read: (tool) =>
        portableOf(tool, { kind: 'command', binary: 'echo', args: [{ text: 'Dear you' }], input: 'none' }),
      write: ({ id, description }) => ({ files: { [`letters/${id}.letter`]: description }, lost: [] }),
    },
  }
  const all = [...formats, letter]
  const tool = makeTool({
    id: 'greet',
    format: 'letter',
    tier: 'project',
    description: 'Greets',
    source: { file: '/crib/letters/greet.letter', line: 1, digest: '', files: [] },
  })

  it('is converted from and to by what it says itself', async () => {
    expect(convert.targetsOf(all)).toEqual(['rye', 'tools-json', 'tool-code', 'skill', 'letter'])
    const { files } = convert.writePortable(all, convert.readPortable(all, tool), 'rye')
    expect(files['.ai/tools/greet.yaml']).toContain('Dear you')
    const code = await withTool(counter, readPortable)
    expect(convert.writePortable(all, code, 'letter').files).toEqual({
      'letters/word-count.letter': 'Count words',
    })
  })

  it('that says nothing of it is refused with the reason', () => {
    expect(() => convert.readPortable(formats, tool)).toThrow('does not say how its tools read elsewhere')
  })
})
