// What can go wrong around a call that writes, through the surfaces where people meet it: file systems that cannot hold
// a layer, a full disk, layers that somebody deletes, files that a person changes or deletes while a call runs.
import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { openCrib } from '../../../src/crib/open-crib.ts'
import type { Layer } from '../../../src/sandbox/changes/layer.ts'
import { effectCrib } from '../../helpers/effect-tools.ts'
import { hasWritten, keptIn, stateOf } from '../../helpers/layer-files.ts'
import { canLayer } from '../../helpers/layered.ts'
import { toolcrib } from '../../helpers/toolcrib.ts'
import { verifies } from '../../helpers/verifies.ts'

/** Makes a folder anew, which takes an attribute on a layer. */
const renew = `#!/bin/bash
# @version 1.0.0
# @tool_type script
# @executor_id rye/core/runtimes/bash/bash
# @category write
# @description Makes a folder anew
set -eu
rm -rf d && mkdir d && echo new > d/new
printf '{"success": true}\\n'
`

const asRoot = process.getuid?.() === 0
/** Starts a program where every place for layers is on a file system without attributes of users. */
const withoutAttributes = [
  ...['unshare', asRoot ? '-m' : '-rm', 'sh', '-c'],
  'mount -t ramfs none /var/tmp && mount -t ramfs none "$XDG_STATE_HOME" && export TMPDIR=/var/tmp && exec "$@"',
  'sh',
]
const canMount =
  canLayer &&
  spawnSync('unshare', [asRoot ? '-m' : '-rm', 'mount', '-t', 'ramfs', 'none', '/var/tmp']).status === 0
if (!canMount) console.warn('Skipped: file systems without attributes, which this user may not mount')

describe.skipIf(!canMount)('a file system without the attributes of layers', () => {
  function crib(settings = '') {
    const made = effectCrib({
      'crib/.ai/tools/write/renew.sh': renew,
      'crib/d/old': 'old\n',
      ...(settings && { 'crib/toolcrib.yaml': settings }),
    })
    mkdirSync(made.env['XDG_STATE_HOME']!)
    const run = (...args: string[]) =>
      toolcrib(args, { cwd: made.root, env: made.env, through: withoutAttributes })
    return { ...made, run }
  }

  it('has a call write directly, and the label and doctor say why', async () => {
    verifies('E2')
    const { run, root } = crib()
    const { json } = await run('run', 'write/renew', '--json')
    expect(json).toMatchObject({
      ok: true,
      effects: { state: 'direct', added: 1, deleted: 1 },
      enforcement: {
        dimensions: { effects: 'direct' },
        reasons: { effects: expect.stringContaining('keeps no attributes') },
      },
    })
    expect(readdirSync(join(root, 'd'))).toEqual(['new'])
    expect((await run('doctor')).stdout).toMatch(
      /fence: changes .*keeps no attributes[^\n]*\n.*XDG_STATE_HOME/,
    )
  })

  it.each([
    ['a preview', ['--preview'], ''],
    ['a policy of hold', [], 'effects: { default: hold }\n'],
    ['a required sandbox', [], 'sandbox: required\n'],
  ])('has %s refused, and nothing is changed', async (_, args, settings) => {
    verifies('E2')
    const { run, root } = crib(settings)
    const ran = await run('run', 'write/renew', ...args, '--json')
    expect(ran.json).toMatchObject({ ok: false, error: { code: 'SANDBOX_UNAVAILABLE' } })
    expect(readdirSync(join(root, 'd'))).toEqual(['old'])
  })
})

/** Writes to a file, says so, and ends when a name appears in the folder `gate`. */
const patient = `__version__ = "1.0.0"
__tool_type__ = "python"
__executor_id__ = "rye/core/runtimes/python/function"
__category__ = "write"
__tool_description__ = "Changes a file and waits"
import os, time, toolcrib

def execute(params, project_path):
    path = os.path.join(project_path, "notes.txt")
    lines = open(path).read().splitlines()
    lines[0] = "tool"
    open(path, "w").write("\\n".join(lines) + "\\n")
    print("written", flush=True)
    while not os.listdir(os.path.join(project_path, "gate")): time.sleep(0.01)
    return {"success": True}
`
/** Waits for the name, and only then reads and writes. */
const late = patient
  .replace(
    '    path = ',
    '    while not os.listdir(os.path.join(project_path, "gate")): time.sleep(0.01)\n    path = ',
  )
  .replace('Changes a file and waits', 'Waits and changes a file')
const text = '1\n2\n3\n4\n5\n'

describe.skipIf(!canLayer)('a file that a call changes', () => {
  /** Calls the tool, and does something in the project after it has written and before it ends. */
  async function meanwhile(act: (root: string, state: string) => void, isFast = false) {
    const { root, env } = effectCrib({
      'crib/.ai/tools/write/patient.py': patient,
      'crib/notes.txt': text,
    })
    mkdirSync(join(root, 'gate'))
    const crib = await openCrib({ root, env })
    onTestFinished(() => crib.close())
    const state = stateOf({ env })
    const call = crib.call('write/patient', {}, { timeoutMs: 60_000 })
    await hasWritten(state, 'notes.txt', 'tool')
    if (!isFast)
      await vi.waitFor(() => expect(keptIn(state, 'images', '../recent')).toContain('notes.txt'), {
        timeout: 30_000,
        interval: 20,
      })
    act(root, state)
    writeFileSync(join(root, 'gate/open'), '')
    return { crib, root, outcome: await call, notes: () => readFileSync(join(root, 'notes.txt'), 'utf8') }
  }

  it.each<[string, (root: string) => void]>([
    ['in place', (root) => writeFileSync(join(root, 'notes.txt'), '1\n2\n3\n4\nmine\n')],
    [
      'by a new file under the same name, as editors do',
      (root) => {
        writeFileSync(join(root, 'notes.txt~'), '1\n2\n3\n4\nmine\n')
        renameSync(join(root, 'notes.txt~'), join(root, 'notes.txt'))
      },
    ],
  ])(
    'and a person changes elsewhere meanwhile, %s, is merged, and undo takes only its part',
    async (_, act) => {
      verifies('E12', 'E14')
      const { crib, outcome, notes } = await meanwhile(act)
      expect(outcome).toMatchObject({ ok: true, effects: { state: 'committed', changed: 1 } })
      expect(notes()).toBe('tool\n2\n3\n4\nmine\n')
      await crib.undo(outcome.runId)
      expect(notes()).toBe('1\n2\n3\n4\nmine\n')
    },
  )

  it('and a person changes elsewhere before the call touches it is merged', async () => {
    verifies('E12')
    const { root, env } = effectCrib({
      'crib/.ai/tools/write/late.py': late,
      'crib/notes.txt': text,
      'crib/zz.txt': 'looked at last\n',
    })
    mkdirSync(join(root, 'gate'))
    const crib = await openCrib({ root, env })
    onTestFinished(() => crib.close())
    const call = crib.call('write/late', {}, { timeoutMs: 60_000 })
    // The call has begun and read nothing yet: what it began with is known by what is known of the file behind it.
    const [zz, state] = [{ type: 'file', mode: 0o644, size: 0 } as const, stateOf({ env })]
    const change = { kind: 'changed', path: 'zz.txt', before: zz, after: zz, isStale: true } as const
    const set = { changes: [{ ...change, isText: true, added: 0, removed: 0 }] }
    await vi.waitFor(
      () => {
        const made = { lower: root, madeAtMs: Date.now() } as Layer
        crib.changed.earlyBases.noteStale(set, made)
        expect(keptIn(state, 'images', '../recent')).toContain('zz.txt')
      },
      { timeout: 30_000, interval: 20 },
    )
    writeFileSync(join(root, 'notes.txt'), '1\n2\n3\n4\nmine\n')
    writeFileSync(join(root, 'gate/open'), '')
    expect(await call).toMatchObject({ ok: true, effects: { state: 'committed', changed: 1 } })
    expect(readFileSync(join(root, 'notes.txt'), 'utf8')).toBe('tool\n2\n3\n4\nmine\n')
  })

  it('and a person changes in the same place meanwhile is a conflict, held', async () => {
    verifies('E12')
    const mine = 'mine\n2\n3\n4\n5\n'
    const { crib, outcome, notes } = await meanwhile((root) => writeFileSync(join(root, 'notes.txt'), mine))
    expect(outcome).toMatchObject({ ok: false, error: { code: 'CONFLICT' } })
    const reason = expect.stringContaining('Changed by somebody else')
    expect(outcome.effects).toMatchObject({ state: 'held', changed: 1, changeSet: outcome.runId, reason })
    expect(notes()).toBe(mine)
    const held = crib.changes(outcome.runId)
    expect(held).toMatchObject({ state: 'held', diff: expect.stringContaining('+tool') })
  })

  it('and a person changes elsewhere just before its end is merged or held, and never lost', async () => {
    verifies('E12')
    const mine = '1\n2\n3\n4\nmine\n'
    const { crib, outcome, notes } = await meanwhile(
      (root) => writeFileSync(join(root, 'notes.txt'), mine),
      true,
    )
    if (outcome.ok) return expect(notes()).toBe('tool\n2\n3\n4\nmine\n')
    expect(outcome.error.code).toBe('CONFLICT')
    expect(notes()).toBe(mine)
    expect(crib.changes(outcome.runId)).toMatchObject({
      state: 'held',
      diff: expect.stringContaining('+tool'),
    })
  })

  it('and a person changes elsewhere while it is held is merged', async () => {
    verifies('E12')
    const { root, env } = effectCrib({ 'crib/notes.txt': text })
    const crib = await openCrib({ root, env })
    onTestFinished(() => crib.close())
    const call = { file: 'notes.txt', text: '6\n' }
    const { runId } = await crib.call('write/sh', call, { effects: 'hold' })
    writeFileSync(join(root, 'notes.txt'), text.replace('1', 'mine'))
    expect(await crib.decide(runId, 'all')).toMatchObject({ state: 'committed' })
    expect(readFileSync(join(root, 'notes.txt'), 'utf8')).toBe('mine\n2\n3\n4\n5\n6\n')
  })

  it('and a person changes in the same place while it is held is a conflict, whatever the clock says', async () => {
    verifies('E12')
    const { root, env } = effectCrib({ 'crib/notes.txt': text })
    const crib = await openCrib({ root, env })
    onTestFinished(() => crib.close())
    const call = { file: 'notes.txt', text: '6\n' }
    const { runId } = await crib.call('write/sh', call, { effects: 'hold' })
    writeFileSync(join(root, 'notes.txt'), `${text}mine\n`)
    // As after a clock was set back: the layer is younger than the change.
    const layer = crib.changed.log.find(runId)!.layer!
    utimesSync(join(layer, 'project'), new Date(), new Date())
    await expect(crib.decide(runId, 'all')).rejects.toMatchObject({ code: 'CONFLICT' })
    expect(readFileSync(join(root, 'notes.txt'), 'utf8')).toBe(`${text}mine\n`)
    // The difference shows what the run did, not what came later.
    expect(crib.changes(runId).diff).toContain('+6\n')
    expect(crib.changes(runId).diff).not.toContain('mine')
  })

  it('and a person deletes is a conflict, held: it does not come back', async () => {
    verifies('E12')
    const { crib, root, outcome } = await meanwhile((folder) => rmSync(join(folder, 'notes.txt')))
    expect(outcome).toMatchObject({ ok: false, error: { code: 'CONFLICT' } })
    expect(existsSync(join(root, 'notes.txt'))).toBe(false)
    expect(crib.changes(outcome.runId).state).toBe('held')
  })

  it('on a layer that somebody deletes ends in an error, and nothing is in place', async () => {
    verifies('E7', 'E10')
    const { outcome, notes } = await meanwhile((_, state) =>
      rmSync(join(state, 'layers'), { recursive: true, force: true }),
    )
    expect(outcome).toMatchObject({ ok: false, error: { message: expect.stringMatching(/layer|gone/) } })
    expect(notes()).toBe(text)
  })
})

describe.skipIf(!canLayer || !asRoot)('a full disk', () => {
  it('during a commit changes nothing, says so, and keeps the layer until there is space', async () => {
    verifies('E11')
    const { root, env } = effectCrib()
    expect(spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', root]).status).toBe(0)
    onTestFinished(() => void spawnSync('umount', ['-l', root]))
    const tool = `#!/bin/bash
# @version 1.0.0
# @tool_type script
# @executor_id rye/core/runtimes/bash/bash
# @category write
# @description Writes more than there is room for
set -eu
echo changed > notes.txt
head -c 12000000 /dev/urandom > big
printf '{"success": true}\\n'
`
    mkdirSync(join(root, '.ai/tools/write'), { recursive: true })
    writeFileSync(join(root, '.ai/tools/write/big.sh'), tool)
    writeFileSync(join(root, 'notes.txt'), 'first\n')
    writeFileSync(join(root, 'ballast'), Buffer.alloc(8_000_000))
    const run = (...args: string[]) => toolcrib(args, { cwd: root, env })
    const { json, code } = await run('run', 'write/big', '--json')
    expect(code).not.toBe(0)
    expect(json).toMatchObject({ ok: false, error: { message: expect.stringMatching(/space|full/i) } })
    expect(json.effects).toMatchObject({ state: 'held', added: 1, changed: 1 })
    expect(readFileSync(join(root, 'notes.txt'), 'utf8')).toBe('first\n')
    expect(existsSync(join(root, 'big'))).toBe(false)
    rmSync(join(root, 'ballast'))
    expect((await run('runs', 'accept', json.runId, '--json')).json).toMatchObject({
      effects: { state: 'committed' },
    })
    expect(readFileSync(join(root, 'notes.txt'), 'utf8')).toBe('changed\n')
  })
})
