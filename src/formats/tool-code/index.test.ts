import { describe, expect, it } from 'vitest'
import { verifies } from '../../../test/helpers/verifies.ts'
import { defaultConfig } from '../../config/config.ts'
import { spacesOf } from '../../config/spaces.ts'
import { sha256 } from '../../tool/json.ts'
import type { Tool } from '../../tool/tool.ts'
import type { FormatEnv, ScannedFolder } from '../format.ts'
import { toolDocument } from './fixture.ts'
import { toolCode } from './index.ts'
import { waitCycles } from './wait-cycles.ts'

const env: FormatEnv = { config: defaultConfig, spaces: spacesOf('/crib') }

/** Reads a crib of the given files as the catalog would. */
function readCrib(files: { readonly [path: string]: unknown }, with_: FormatEnv = env) {
  const texts = new Map(
    Object.entries(files).map(([path, content]) => [
      path,
      typeof content === 'string' ? content : JSON.stringify(content, null, 2),
    ]),
  )
  const scanned: ScannedFolder = {
    dir: '/crib',
    tier: 'project',
    order: 0,
    kind: 'crib',
    ai: '.ai/',
    files: [...texts.keys()].sort().map((path) => ({ path, size: texts.get(path)!.length, mtimeMs: 0 })),
  }
  const parsed = toolCode.units(scanned, with_).map((unit) =>
    toolCode.parse(
      unit,
      (entry) => {
        const text = texts.get(entry.path)!
        return { file: `/crib/${entry.path}`, path: entry.path, text, digest: sha256(text) }
      },
      with_,
    ),
  )
  const linked = toolCode.link!(
    parsed.flatMap((part) => part.tools),
    with_,
    [],
  )
  return { tools: linked.tools, problems: [...parsed.flatMap((part) => part.problems), ...linked.problems] }
}

function codesOf(tool: Tool | undefined): string[] {
  return (tool?.problems ?? []).map((problem) => problem.code)
}

describe('which files are tools', () => {
  it('takes any JSON file with the schema name, in any folder, and no other', () => {
    verifies('C1')
    const { tools, problems } = readCrib({
      'crumbs/a.json': toolDocument({ name: 'a' }),
      'tools/deep/er/b.json': toolDocument({ name: 'b' }),
      'c.json': toolDocument({ name: 'c' }),
      'node_modules/x/d.json': toolDocument({ name: 'd' }),
      'vendor/node_modules/x/e.json': toolDocument({ name: 'e' }),
      '.git/f.json': toolDocument({ name: 'f' }),
      'package.json': { name: 'x' },
      'list.json': [toolDocument({ name: 'g' })],
      'readme.md': JSON.stringify(toolDocument({ name: 'h' })),
    })
    expect(tools.map((tool) => tool.id).sort()).toEqual(['a', 'b', 'c'])
    expect(problems).toEqual([])
  })

  it('leaves other crumbs alone', () => {
    verifies('C2')
    const { tools, problems } = readCrib({
      'crumbs/note.json': { schema_name: 'note.v1', title: 'n', context: { about: 'tool.code.v1' } },
      'note.json': { schema_name: 'note.v1', title: 'n', context: {} },
    })
    expect({ tools, problems }).toEqual({ tools: [], problems: [] })
  })

  it('reports broken JSON only where a tool was meant', () => {
    verifies('C2')
    const { problems } = readCrib({
      'crumbs/broken.json': '{\n  "a": 1,\n}',
      'elsewhere/broken.json': '{\n  "a": 1,\n}',
      'elsewhere/tool.json': '{ "schema_name": "tool.code.v1" ',
    })
    expect(problems.map((problem) => [problem.code, problem.file, problem.line])).toEqual([
      ['tc-json', '/crib/crumbs/broken.json', 3],
      ['tc-json', '/crib/elsewhere/tool.json', 1],
    ])
  })

  it('reads a file that begins with a byte order mark', () => {
    verifies('C1')
    const { tools, problems } = readCrib({ 'crumbs/marked.json': `\ufeff${JSON.stringify(toolDocument())}` })
    expect(tools.map((tool) => tool.id)).toEqual(['adder'])
    expect(problems).toEqual([])
  })

  it('reports a file that is nested too deep, and reads the others', () => {
    verifies('C2')
    const deep = JSON.stringify(toolDocument({ name: 'deep', examples: ['DEEP'] })).replace(
      '"DEEP"',
      `{"input":${'['.repeat(9_000)}${']'.repeat(9_000)}}`,
    )
    const { tools, problems } = readCrib({ 'crumbs/deep.json': deep, 'crumbs/fine.json': toolDocument() })
    expect(tools.map((tool) => tool.id)).toEqual(['adder'])
    expect(problems).toMatchObject([{ code: 'tc-json', severity: 'error', file: '/crib/crumbs/deep.json' }])
  })

  it('reports tool.v1 files', () => {
    verifies('C9')
    const { problems } = readCrib({ 'tools/old.json': toolDocument({}, { schema_name: 'tool.v1' }) })
    expect(problems).toMatchObject([{ code: 'tc-legacy-v1', file: '/crib/tools/old.json', line: 2 }])
  })

  it('gives each problem the line and column in the file', () => {
    const text = JSON.stringify(
      toolDocument({ limits: { memory_mb: 1, timeout_ms: 0, cpu_percent: 1 } }),
      null,
      2,
    )
    const { tools } = readCrib({ 'a.json': text })
    const line = text.split('\n').findIndex((row) => row.includes('"timeout_ms": 0')) + 1
    expect(tools[0]).toMatchObject({
      state: 'invalid',
      problems: [{ code: 'tc-limit', file: '/crib/a.json', line, toolId: 'adder' }],
    })
    expect(text.split('\n')[line - 1]!.slice(tools[0]!.problems[0]!.column! - 1)).toMatch(/^0/)
  })
})

describe('two files with one name', () => {
  const versions = (a: string, b: string, more: object = {}) =>
    readCrib({ 'a.json': toolDocument({ version: a }), 'b.json': toolDocument({ version: b, ...more }) })
      .tools

  it('activates the higher version by number, not by text', () => {
    verifies('C4', 'C-case-10')
    const tools = versions('1.9.0', '1.10.0')
    expect(tools.map((tool) => [tool.version, tool.state, codesOf(tool)])).toEqual([
      ['1.9.0', 'shadowed', []],
      ['1.10.0', 'available', []],
    ])
  })

  it('uses the first path when the version is the same, and reports the other', () => {
    verifies('C4')
    const tools = versions('1.0.0', '1.0.0', { description: 'Another.' })
    expect(tools.map((tool) => [tool.source.file, tool.state, codesOf(tool)])).toEqual([
      ['/crib/a.json', 'available', []],
      ['/crib/b.json', 'shadowed', ['tc-duplicate']],
    ])
  })

  it('is silent about equal content', () => {
    expect(versions('1.0.0', '1.0.0').flatMap(codesOf)).toEqual([])
  })

  it.each([
    ['1.0.0-alpha', '1.0.0'],
    ['1.0.0-alpha', '1.0.0-alpha.1'],
    ['1.0.0-alpha.1', '1.0.0-alpha.beta'],
    ['1.0.0-beta.2', '1.0.0-beta.11'],
    ['1.0.0-rc.1', '1.0.0'],
    ['not-a-version', '0.0.1'],
    ['9.9.9', '18446744073709551617.0.0'],
  ])('sorts %s below %s', (lower, higher) => {
    expect(versions(higher, lower).map((tool) => tool.state)).toEqual(['available', 'shadowed'])
  })
})

describe('waiting for each other', () => {
  const starts = (name: string, wait_for: string[] = []) =>
    toolDocument({ name, bootstrap: { enabled: true, mode: 'once', input: { a: 1 }, wait_for } })

  it('reports names that are no tool or are not started, and circles with their members', () => {
    const { tools } = readCrib({
      'a.json': starts('a', ['b']),
      'b.json': starts('b', ['a']),
      'c.json': starts('c', ['idle', 'shceduler']),
      'idle.json': toolDocument({ name: 'idle' }),
      'scheduler.json': starts('scheduler'),
      'self.json': starts('self', ['self']),
    })
    const byId = new Map(tools.map((tool) => [tool.id, tool]))
    expect(codesOf(byId.get('a'))).toEqual(['tc-wait-cycle'])
    expect(codesOf(byId.get('self'))).toEqual(['tc-wait-cycle'])
    expect(byId.get('self')?.problems[0]?.message).toContain('self waits for itself')
    expect(byId.get('a')!.problems[0]!.message).toContain('a, b')
    expect(byId.get('a')!.state).toBe('available')
    expect(codesOf(byId.get('c'))).toEqual(['tc-wait-idle', 'tc-wait-missing'])
    expect(byId.get('c')!.problems[1]!.hint).toContain('scheduler')
  })

  it('finds circles through several tools and leaves those that only wait for one', () => {
    const graph = new Map([
      ['a', ['b']],
      ['b', ['c']],
      ['c', ['a']],
      ['d', ['a']],
      ['e', ['e']],
    ])
    expect(waitCycles(graph)).toEqual([['a', 'b', 'c'], ['e']])
  })
})

describe('store calls without permission', () => {
  const source = 'export async function execute(input, { api }) { return api.createBreadcrumb({}) }'
  const file = { 'a.json': toolDocument({ code: { language: 'typescript', source }, examples: [] }) }

  it('are a warning', () => {
    const { tools } = readCrib(file)
    expect(tools[0]!.problems).toMatchObject([{ code: 'tc-api-ungranted', severity: 'warning' }])
    expect(tools[0]!.state).toBe('available')
  })

  it('are none where the operator adds the permission', () => {
    verifies('C25')
    const config = { ...defaultConfig, tools: { adder: { breadcrumbs: { write: ['note.v1'] } } } }
    expect(readCrib(file, { ...env, config }).tools.flatMap(codesOf)).toEqual([])
  })
})
