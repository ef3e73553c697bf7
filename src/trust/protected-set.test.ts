import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { verifies } from '../../test/helpers/verifies.ts'
import { type Config, defaultConfig } from '../config/config.ts'
import { type Spaces, spacesOf } from '../config/spaces.ts'
import { formats } from '../formats/registry.ts'
import { makeTool, type Tool } from '../tool/tool.ts'
import { ProtectedSet } from './protected-set.ts'

const crib = realpathSync(mkdtempSync(join(tmpdir(), 'protected-')))
afterAll(() => rmSync(crib, { recursive: true }))

function put(path: string, text = ''): string {
  const file = join(crib, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  return file
}

const spaces = spacesOf(crib, { HOME: '/home/u' })

function setOf(
  given: { tools?: Tool[]; config?: Partial<Config>; spaces?: Partial<Spaces> } = {},
): ProtectedSet {
  const config = { ...defaultConfig, ...given.config }
  return new ProtectedSet({
    config,
    spaces: { ...spaces, ...given.spaces },
    tools: given.tools ?? [],
    formats,
  })
}

const why = (set: ProtectedSet, path: string) => set.why(join(crib, path))?.reason

describe('what is protected in an empty crib', () => {
  it.each([
    'toolcrib.yaml',
    'toolcrib.lock',
    '.ai/tools/new.py',
    '.ai/config/limits.yaml',
    '.ai/.env',
    'skills/new/SKILL.md',
    '.agents/skills/new/SKILL.md',
    '.claude/skills/x/SKILL.md',
    '.claude/settings.json',
    'crumbs/tool.json',
    '.mcp.json',
    '.gitignore',
    '.toolcribignore',
    '.env',
    '.env.production',
    '.venv/bin/python3',
    'node_modules/left-pad/index.js',
    '.git/hooks/pre-commit',
    '.git/HEAD',
    '.vscode/tasks.json',
    'packages/web/.vscode/tasks.json',
    '.idea/workspace.xml',
    'HEAD',
    'docs/deep/HEAD',
    '.hg/hgrc',
    'crates/x/.cargo/config.toml',
    '.dir-locals.el',
    '.devcontainer.json',
    '.lefthook-local.yaml',
    'lefthook.yml',
    'opencode.jsonc',
    '.yarn/releases/yarn.cjs',
    'bunfig.toml',
    '.husky/pre-commit',
    '.envrc',
    '.npmrc',
    '.pypirc',
    '.python-version',
    '.toolcrib/crib.db',
    'anywhere/else.skill.md',
    'anywhere/SKILL.md',
  ])('%s, although it is not there yet', (path) => {
    verifies('G6')
    expect(why(setOf(), path)).toBeTypeOf('string')
  })

  it.each([
    'notes.md',
    'out/report.json',
    'src/index.ts',
    'packages/web/node_modules/x.js',
    'environment.txt',
    'README.md',
    'docs/HEAD.md',
  ])('but not %s', (path) => {
    expect(why(setOf(), path)).toBeUndefined()
  })
})

it('protects the files that tools are made of, wherever they lie, and how Node loads them', () => {
  verifies('G6')
  const file = put('lib/act.js', "import './helper.js'")
  put('lib/helper.js')
  const tool = makeTool({ id: 'act', format: 'skill', tier: 'project', source: { file, digest: '' } })
  const set = setOf({ tools: [tool] })
  expect(why(set, 'lib/act.js')).toBe('act is made of it')
  expect(why(set, 'lib/helper.js')).toBe('act is made of it')
  expect(why(set, 'lib/package.json')).toBe('it says how act is loaded')
  expect(why(set, 'lib/node_modules/x')).toBe('tools load modules from it')
  expect(why(set, 'lib/other.txt')).toBeUndefined()
})

it('protects what Python would load beside a script, the examples of tools, and signatures', () => {
  verifies('G6')
  const file = put('jobs/report.py', 'import json')
  const tool = makeTool({ id: 'report', format: 'skill', tier: 'project', source: { file, digest: '' } })
  const set = setOf({ tools: [tool] })
  for (const path of ['json.py', 'json/__init__.py', 'report.py.sig', 'pyvenv.cfg'])
    expect(why(set, `jobs/${path}`)).toBeTypeOf('string')
  expect(why(set, 'any/tools.examples.yaml')).toBeTypeOf('string')
  for (const path of ['jobs/out.json', 'jobs/data/x.py', 'other/json.py', 'notes.sig'])
    expect(why(set, path)).toBeUndefined()
})

it('opens no settings of a repository by any grant, and takes no branch for them', () => {
  verifies('G6')
  const set = setOf()
  for (const path of [
    '.git/commondir',
    '.git/config.worktree',
    '.git/modules/a/b/config',
    '.git/modules/a/hooks/post-checkout',
    '.git/worktrees/w/commondir',
    'packages/web/.git/hooks/pre-commit',
  ])
    expect(set.why(join(crib, path)), path).toMatchObject({ isFixed: true })
  for (const path of ['.git/refs/heads/config', '.git/modules/a/refs/heads/hooks', '.git/configure'])
    expect(set.why(join(crib, path)), path).toMatchObject({ isFixed: false })
})

it("protects a server's program and the scripts it is given", () => {
  verifies('G6')
  put('servers/files.mjs')
  const server = {
    name: 's',
    transport: 'stdio',
    command: 'node',
    args: ['servers/files.mjs'],
    isOperators: false,
  } as const
  const tool = makeTool({
    id: 'mcp/s',
    format: 'mcp',
    tier: 'project',
    source: { file: null, digest: '' },
    details: { server },
  })
  expect(why(setOf({ tools: [tool] }), 'servers/files.mjs')).toBe('mcp/s is made of it')
})

it('protects store, key and plugins wherever the settings put them', () => {
  verifies('G6', 'G20')
  const set = setOf({
    config: { store: 'data/crib.db', secrets: { file: 'data/key', env: [] }, plugins: ['./plugin.mjs'] },
  })
  for (const path of ['data/crib.db', 'data/crib.db-wal', 'data/key', 'plugin.mjs'])
    expect(set.why(join(crib, path))).toMatchObject({ isFixed: true })
})

it('protects what a plugin imports and how it is loaded, whatever a grant says: it runs in the host', () => {
  verifies('G6')
  put('plug/plugin.mjs', "import './helper.mjs'\nexport default { name: 'p' }\n")
  put('plug/helper.mjs', "export * from './lib/deep.mjs'\n")
  put('plug/lib/deep.mjs')
  const set = setOf({ config: { plugins: [join(crib, 'plug/plugin.mjs')] } })
  for (const path of ['plug/helper.mjs', 'plug/lib/deep.mjs', 'plug/package.json', 'package.json'])
    expect(set.why(join(crib, path)), path).toMatchObject({ isFixed: true })
  expect(why(set, 'plug/node_modules/x/index.js')).toBe('tools load modules from it')
  expect(why(set, 'plug/notes.txt')).toBeUndefined()
})

it('protects its own installation with what npm hoisted beside it', () => {
  verifies('G6')
  const set = setOf({ spaces: { system: join(crib, 'node_modules/toolcrib/system') } })
  for (const path of [
    'node_modules/toolcrib/dist/cli.js',
    'node_modules/yaml/index.js',
    'node_modules/.bin/x',
  ])
    expect(set.why(join(crib, path))).toMatchObject({
      isFixed: true,
      reason: expect.stringContaining('Toolcrib'),
    })
})

it('knows a place by the real path of a link too', () => {
  verifies('G6')
  mkdirSync(join(crib, 'shared-skills'))
  symlinkSync('shared-skills', join(crib, 'skills'))
  expect(why(setOf(), 'shared-skills/new/tools.json')).toBeTypeOf('string')
})

it('says that a folder which holds a protected place may not be replaced, and may be added to', () => {
  const set = setOf()
  expect(set.whyReplaced(join(crib, '.ai'))).toBeDefined()
  expect(why(set, '.ai')).toBeUndefined()
  expect(why(set, '.ai/notes.md')).toBeUndefined()
})

it('keeps the list short where definition folders hold the tools', () => {
  const tools = Array.from({ length: 2_000 }, (_, n) =>
    makeTool({
      id: `t${n}`,
      format: 'rye',
      tier: 'project',
      source: { file: join(crib, `.ai/tools/t${n}.py`), digest: '' },
    }),
  )
  expect(setOf({ tools }).places.length).toBeLessThan(160)
})
