// What a person at a terminal sees of file changes: the closing line, the preview, the difference, the way back.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type EffectCrib, effectCrib } from '../../helpers/effect-tools.ts'
import { canLayer } from '../../helpers/layered.ts'
import { toolcrib } from '../../helpers/toolcrib.ts'
import { verifies } from '../../helpers/verifies.ts'

const run = ({ root, env }: EffectCrib, ...args: string[]) => toolcrib(args, { cwd: root, env })
const read = ({ root }: EffectCrib, file: string) => readFileSync(join(root, file), 'utf8')

const anyLine = `#!/bin/bash
# @version 1.0.0
# @tool_type script
# @executor_id rye/core/runtimes/bash/bash
# @category write
# @description Runs a line
# @param {string} line - The line
eval "$PARAM_LINE"
`

describe.skipIf(!canLayer).each(['py', 'sh'])('a tool that writes (%s)', (kind) => {
  const call = (crib: EffectCrib, text: string, ...more: string[]) =>
    run(crib, 'run', `write/${kind}`, '--file', 'notes.txt', '--text', text, ...more)

  it('ends with a line that says how many files changed and how to take it back', async () => {
    verifies('E1', 'E17')
    const crib = effectCrib()
    const { stderr, code } = await call(crib, 'second\n')
    expect(code).toBe(0)
    const [, id] = /^1 file changed \(\+1 -0\)\. Undo: toolcrib undo (\S+)$/m.exec(stderr)!
    expect(read(crib, 'notes.txt')).toBe('first\nsecond\n')
    const undone = await run(crib, 'undo', id!)
    expect(undone).toMatchObject({ code: 0, stdout: 'put back  notes.txt\n' })
    expect(read(crib, 'notes.txt')).toBe('first\n')
  })

  it('says nothing of files with -q, and tells them as JSON with --json', async () => {
    verifies('E16', 'E17')
    const crib = effectCrib()
    expect((await call(crib, 'x\n', '-q')).stderr).toBe('')
    const { json, stderr } = await call(crib, 'y\n', '--json')
    expect(stderr).toBe('')
    expect(json.effects).toEqual({
      state: 'committed',
      changeSet: json.runId,
      added: 0,
      changed: 1,
      deleted: 0,
      lines: { added: 1, removed: 0 },
      files: [{ path: 'notes.txt', kind: 'changed', added: 1, removed: 0, size: 10 }],
    })
    expect(json.enforcement.dimensions.effects).toBe('held')
  })

  it('shows in a preview what would change, and changes nothing', async () => {
    verifies('E9', 'E16')
    const crib = effectCrib()
    const { stdout, stderr } = await call(crib, 'second\n', '--preview')
    expect(stdout).toContain('--- a/notes.txt\n+++ b/notes.txt\n@@ -1 +1,2 @@\n first\n+second\n')
    expect(stderr).toContain('1 file changed (+1 -0), thrown away: nothing is in place.')
    expect(read(crib, 'notes.txt')).toBe('first\n')
    const layers = join(crib.env['XDG_STATE_HOME']!, 'toolcrib', 'layers')
    expect(readdirSync(layers).flatMap((name) => readdirSync(join(layers, name)))).toEqual([])
  })
})

describe.skipIf(!canLayer)('undo', () => {
  it('tells of folders that came or went with nothing in them', async () => {
    verifies('E16', 'E17')
    const crib = effectCrib({ 'crib/.ai/tools/write/line.sh': anyLine })
    const call = (line: string, ...flags: string[]) =>
      run(crib, 'run', 'write/line', '--line', line, ...flags)
    expect((await call('mkdir empty', '--preview')).stdout).toContain('# new folder, mode 755: empty\n')
    const { stderr } = await call('mkdir -p empty/inner')
    const [, id] = /^1 file changed \(\+0 -0\)\. Undo: toolcrib undo (\S+)$/m.exec(stderr)!
    const held = (await call('rmdir empty/inner; mkdir other', '--hold', '--json')).json
    expect(held.effects).toMatchObject({ state: 'held', added: 1, deleted: 1 })
    expect((await run(crib, 'runs', 'accept', held.runId, '--file', 'other')).code).toBe(0)
    expect(existsSync(join(crib.root, 'other'))).toBe(true)
    expect((await run(crib, 'undo', id!)).stdout).toBe('removed  empty/inner\n')
    expect(existsSync(join(crib.root, 'empty'))).toBe(false)
  })

  it('tells a name with a line break in one line', async () => {
    verifies('E14')
    const crib = effectCrib({ 'crib/.ai/tools/write/line.sh': anyLine })
    const { json } = await run(crib, 'run', 'write/line', '--line', "touch $'a\\nput back  b'", '--json')
    expect((await run(crib, 'undo', json.runId)).stdout).toBe('removed  a\\nput back  b\n')
  })

  it('shows the difference of a run, and puts back what it made, by the beginning of its id', async () => {
    verifies('E14', 'E16')
    const crib = effectCrib()
    const { json } = await run(crib, 'run', 'write/sh', '--file', 'out/new.txt', '--text', 'x\n', '--json')
    const id = json.runId.slice(0, 18)
    const { stdout } = await run(crib, 'runs', 'show', id, '--diff')
    expect(stdout).toBe(
      'diff --git a/out/new.txt b/out/new.txt\nnew file mode 100644\n--- /dev/null\n+++ b/out/new.txt\n@@ -0,0 +1 @@\n+x\n',
    )
    expect((await run(crib, 'undo', id, '--dry-run')).stdout).toBe('would be removed  out/new.txt\n')
    expect(existsSync(join(crib.root, 'out/new.txt'))).toBe(true)
    const undone = (await run(crib, 'undo', id, '--json')).json
    expect(undone).toMatchObject({ restored: 1, conflicts: [], runs: [json.runId] })
    expect(existsSync(join(crib.root, 'out'))).toBe(false)
    await run(crib, 'undo', undone.changeSet)
    expect(read(crib, 'out/new.txt')).toBe('x\n')
  })

  it('refuses where something else changed the file since, merges, or puts it back all the same', async () => {
    verifies('E14')
    const crib = effectCrib({ 'crib/notes.txt': 'a\nb\nc\nd\n' })
    const { json } = await run(crib, 'run', 'write/sh', '--file', 'notes.txt', '--text', 'e\n', '--json')
    writeFileSync(join(crib.root, 'notes.txt'), 'A\nb\nc\nd\ne\n')
    const refused = await run(crib, 'undo', json.runId)
    expect(refused.code).not.toBe(0)
    expect(refused.stderr).toContain('Changed since by something else, so nothing was put back:\n  notes.txt')
    expect(read(crib, 'notes.txt')).toBe('A\nb\nc\nd\ne\n')
    const merged = (await run(crib, 'undo', json.runId, '--merge', '--json')).json
    expect(read(crib, 'notes.txt')).toBe('A\nb\nc\nd\n')
    await run(crib, 'undo', merged.changeSet)
    writeFileSync(join(crib.root, 'notes.txt'), 'mine\n')
    await run(crib, 'undo', json.runId, '--force')
    expect(read(crib, 'notes.txt')).toBe('a\nb\nc\nd\n')
  })

  it('takes back everything since a time, newest first', async () => {
    verifies('E14')
    const crib = effectCrib()
    for (const text of ['a\n', 'b\n'])
      await run(crib, 'run', 'write/py', '--file', 'notes.txt', '--text', text)
    const undone = await run(crib, 'undo', '--since', '10m')
    expect(undone.stderr).toContain('1 file put back.')
    expect(read(crib, 'notes.txt')).toBe('first\n')
  })

  it('says so when it was undone already, and when there is no such run', async () => {
    const crib = effectCrib()
    const { json } = await run(crib, 'run', 'write/sh', '--file', 'notes.txt', '--text', 'x', '--json')
    await run(crib, 'undo', json.runId)
    const again = await run(crib, 'undo', json.runId)
    expect(again.stderr).toContain('was undone already')
    expect(again.stderr).toMatch(/toolcrib undo \S+/)
    const unknown = await run(crib, 'undo', 'nonsense')
    expect(unknown).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('No run nonsense has changed files'),
    })
    expect((await run(crib, 'undo')).code).toBe(2)
  })

  it('has nothing to put back where another run has done it already, and names no undo then', async () => {
    verifies('E14')
    const crib = effectCrib()
    const call = ['run', 'write/py', '--file', 'made.txt', '--text', 'x', '--json']
    const { json } = await run(crib, ...call)
    await run(crib, 'run', 'write/py', '--file', 'made.txt', '--op', 'delete')
    for (const args of [['--dry-run'], []]) {
      const undone = await run(crib, 'undo', json.runId, ...args)
      expect(undone).toMatchObject({ code: 0, stdout: '' })
      expect(undone.stderr).toMatch(/0 files would be put back|nothing to put back/)
      expect(undone.stderr).not.toContain('toolcrib undo')
    }
  })

  it('says what to do about a run whose changes wait, and takes no preview that is also held', async () => {
    verifies('E9', 'E14')
    const crib = effectCrib()
    const call = ['run', 'write/sh', '--file', 'notes.txt', '--text', 'x', '--json']
    const { json } = await run(crib, ...call, '--hold')
    const refused = (await run(crib, 'undo', json.runId, '--json')).json
    expect(refused.error).toMatchObject({ code: 'CONFLICT', hint: expect.stringContaining('runs accept') })
    expect((await run(crib, ...call, '--hold', '--preview')).code).toBe(2)
  })
})
