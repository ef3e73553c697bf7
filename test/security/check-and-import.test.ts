// A tool's files change after they were checked and before a worker imports them: the call waits for a free worker
// (all are busy) or for a person, and meanwhile somebody swaps the code.
import { existsSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Crib } from '../../src/crib/crib.ts'
import { lockCrib } from '../../src/surfaces/trust/lock-crib.ts'
import { realPython } from '../helpers/fenced.ts'
import { proves } from '../helpers/proves.ts'
import { writeFiles } from '../helpers/temp-folder.ts'
import { toolcrib } from '../helpers/toolcrib.ts'
import { cribOf, nodeTool, pythonTool } from './crib-of.ts'

const soon = <T>(check: () => T | Promise<T>) => vi.waitFor(check, { timeout: 30_000, interval: 10 })

/** More calls than a tool's workers take, on any machine: a Node worker takes sixteen side by side. */
const callsOf = (kind: string) => (kind === 'python' ? 6 : 66)

const wait = {
  python: `import time
open(os.path.join(project, "out", "started-%s" % params["n"]), "w").close()
while not os.path.exists(os.path.join(project, "out", "go")): time.sleep(0.01)
return {"success": True, "word": word}`,
  node: `fs.writeFileSync(project + '/out/started-' + params.n, '')
while (!fs.existsSync(project + '/out/go')) await new Promise((done) => setTimeout(done, 10))
return { success: true, word }`,
}

const kinds = {
  python: {
    file: '.ai/tools/slow.py',
    text: pythonTool(wait.python, 'from words import word'),
    evil: pythonTool('open(os.path.join(project, "out", "evil"), "w").close()', 'from words import word'),
    helper: '.ai/tools/words.py',
    helperText: 'word = "good"\n',
    evilHelper: 'open("out/evil", "w").close()\nword = "evil"\n',
    // A package goes before a module of the same name.
    shadow: '.ai/tools/words/__init__.py',
  },
  node: {
    file: '.ai/tools/slow.mjs',
    text: `import { word } from './words.mjs'\n${nodeTool(wait.node)}`,
    evil: nodeTool(`fs.writeFileSync(project + '/out/evil', '')`),
    helper: '.ai/tools/words.mjs',
    helperText: `export const word = 'good'\n`,
    evilHelper: `import fs from 'node:fs'\nfs.writeFileSync('out/evil', '')\nexport const word = 'evil'\n`,
    shadow: null,
  },
  commonjs: {
    file: '.ai/tools/slow.mjs',
    text: `import words from './words.cjs'\nconst { word } = words\n${nodeTool(wait.node)}`,
    evil: nodeTool(`fs.writeFileSync(project + '/out/evil', '')`),
    helper: '.ai/tools/words.cjs',
    helperText: `exports.word = 'good'\n`,
    evilHelper: `require('node:fs').writeFileSync('out/evil', '')\nexports.word = 'evil'\n`,
    shadow: null,
  },
  typescript: {
    file: '.ai/tools/slow.ts',
    text: `import { word } from './words.ts'\n${nodeTool(wait.node).replace('params, project', 'params: any, project: string')}`,
    evil: nodeTool(`fs.writeFileSync(project + '/out/evil', '')`),
    helper: '.ai/tools/words.ts',
    helperText: `export const word: string = 'good'\n`,
    evilHelper: `import fs from 'node:fs'\nfs.writeFileSync('out/evil', '')\nexport const word: string = 'evil'\n`,
    shadow: null,
  },
}

interface Busy {
  readonly crib: Crib
  readonly root: string
  /** Lets the busy workers finish; gives back how every call ended, the one that waited last. */
  finish(): Promise<string[]>
}

/** All workers of the tool are busy, and one more call has passed its checks and waits for one of them. */
async function busy(kind: keyof typeof kinds, trust: 'off' | 'require'): Promise<Busy> {
  const { file, text, helper, helperText } = kinds[kind]
  const calls = callsOf(kind)
  const opened = await cribOf(
    { [file]: text, [helper]: helperText, 'out/.keep': '' },
    {
      trust,
      // The calls and the test talk by files while they run.
      effects: { default: 'direct' },
    },
  )
  const { crib, root, home } = opened
  if (trust === 'off') await lockCrib(crib, { programs: false })
  else {
    const env = { HOME: home, XDG_CONFIG_HOME: join(home, '.config') }
    expect(await toolcrib(['keys', 'new', '--owner', 'Ada'], { cwd: root, env })).toMatchObject({ code: 0 })
    expect(await toolcrib(['sign', file, helper], { cwd: root, env })).toMatchObject({ code: 0 })
    await crib.reload()
  }
  const all = Array.from({ length: calls }, (_, n) =>
    crib
      .call('slow', { n })
      .then((outcome) => (outcome.ok ? JSON.stringify(outcome.value) : outcome.error.code)),
  )
  const started = () => all.filter((_, n) => existsSync(join(root, 'out', `started-${n}`))).length
  let before = -1
  await soon(() => {
    const now = started()
    const isSteady = now >= 2 && now === before && crib.kernel.running.length === calls
    before = now
    expect(isSteady).toBe(true)
  })
  return {
    crib,
    root,
    async finish() {
      writeFileSync(join(root, 'out', 'go'), '')
      return Promise.all(all)
    },
  }
}

const python = realPython()
const known = (Object.keys(kinds) as (keyof typeof kinds)[]).filter((kind) => kind !== 'python' || python)
if (!python) console.info('skipped for Python: there is no python3')

describe.each(known)('between check and import: %s', (kind) => {
  const { file, text, evil, helper, evilHelper, shadow } = kinds[kind]

  async function refused({ root, finish }: Busy): Promise<void> {
    const ends = await finish()
    expect(ends.filter((end) => end.includes('good')).length).toBeGreaterThanOrEqual(2)
    expect(ends.at(-1)).toBe('TRUST_TAMPERED')
    expect(new Set(ends.filter((end) => !end.includes('good')))).toEqual(new Set(['TRUST_TAMPERED']))
    expect(existsSync(join(root, 'out', 'evil'))).toBe(false)
  }

  it.each(['off', 'require'] as const)(
    'a swapped file does not run (trust: %s)',
    async (trust) => {
      proves('import-checked')
      const made = await busy(kind, trust)
      writeFiles(made.root, { [file]: evil })
      await refused(made)
    },
    90_000,
  )

  it('a swapped helper does not run', async () => {
    proves('import-checked')
    const made = await busy(kind, 'off')
    writeFiles(made.root, { [helper]: evilHelper })
    await refused(made)
  }, 90_000)

  it.each([
    ['file', file, evil],
    ['helper', helper, evilHelper],
  ])(
    'a %s swapped for a link to another does not run',
    async (_, swapped, code) => {
      proves('import-checked')
      const made = await busy(kind, 'off')
      const other = swapped.replace('.ai/tools', 'out')
      writeFiles(made.root, { [other]: code })
      rmSync(join(made.root, swapped))
      symlinkSync(join(made.root, other), join(made.root, swapped))
      await refused(made)
    },
    90_000,
  )

  it.skipIf(shadow === null)(
    'a new file that pushes itself in front of a helper does not run',
    async () => {
      proves('import-checked')
      const made = await busy(kind, 'off')
      // Touching the tool makes the worker import it afresh.
      writeFiles(made.root, { [shadow!]: evilHelper, [file]: text })
      await refused(made)
    },
    90_000,
  )

  it('what was changed and put back runs', async () => {
    const made = await busy(kind, 'off')
    writeFiles(made.root, { [file]: evil })
    writeFiles(made.root, { [file]: text })
    const ends = await made.finish()
    expect(ends.some((end) => end.includes('good'))).toBe(true)
    // A worker that imports in the very moment of the change is right to refuse; whoever calls later gets the tool.
    expect(ends.filter((end) => !end.includes('good') && end !== 'TRUST_TAMPERED')).toEqual([])
    expect(await made.crib.call('slow', { n: 0 })).toMatchObject({ ok: true })
  }, 90_000)
})

const script = `#!/bin/bash
# @version 1.0.0
# @tool_type script
# @executor_id rye/core/runtimes/bash/bash
# @category
# @description Says it
echo '{"success": true}'
`

it.skipIf(!python)('a native module that nobody approved is not loaded, however it is named', async () => {
  proves('import-checked')
  const { crib, root } = await cribOf({
    '.ai/tools/it.py': pythonTool('return {"seen": __import__("plug" + "in").__name__}'),
  })
  await lockCrib(crib, { programs: false })
  writeFiles(root, { '.ai/tools/plugin.so': 'no library at all' })
  expect(await crib.call('it', {})).toMatchObject({ ok: false, error: { code: 'TRUST_TAMPERED' } })
})

describe('while a person decides', () => {
  it.each([
    ['a Python tool', '.ai/tools/it.py', pythonTool('return {"success": True}')],
    ['a script', '.ai/tools/it.sh', script],
  ])('the tool is checked again: %s', async (_, file, text) => {
    proves('import-checked')
    const { crib, root } = await cribOf({ [file]: text }, { approve: ['it'] })
    await lockCrib(crib, { programs: false })
    onTestFinished(crib.approvals.attend())
    const call = crib.call('it', {})
    const { id } = await soon(() => {
      expect(crib.approvals.pending).toHaveLength(1)
      return crib.approvals.pending[0]!
    })
    writeFiles(root, { [file]: `${text}\n# changed\n` })
    crib.approvals.decide(id, { decision: 'approve', by: 'Ada' })
    expect(await call).toMatchObject({ ok: false, error: { code: 'TRUST_DRIFT' } })
  })
})
