import { chmodSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { canLayer, LayeredProject } from '../../../test/helpers/layered.ts'
import { plant } from '../../../test/helpers/trees.ts'
import { verifies } from '../../../test/helpers/verifies.ts'
import { sha256 } from '../../tool/json.ts'
import type { Layer } from './layer.ts'
import { readChanges } from './read-changes.ts'

let crib: LayeredProject
beforeEach(() => {
  crib = new LayeredProject()
})
afterEach(() => crib.close())

/** Kind, path, and where it came from. */
function told(layer: Layer): string[] {
  return readChanges(layer).changes.map(({ kind, path, from }) => [kind, path, from ?? []].flat().join(' '))
}

describe.skipIf(!canLayer)('the change set of a run', () => {
  it('names what happened to each path', () => {
    verifies('E6')
    plant(crib.project, { a: 'a\n', b: 'bb\n', c: 'c\n', m: 'moved\n', 'd/x': 'x', 'd/y': 'y', same: 's' })
    const layer = crib.shell(
      'echo new > a; rm b; chmod 700 c; mv m n; rm -r d; ln -s a l; mkdir -p e/f; echo s | tr -d "\\n" > same',
    )
    expect(told(layer)).toEqual([
      'changed a',
      'deleted b',
      'mode c',
      'deleted d/x',
      'deleted d/y',
      'deleted d',
      'created e',
      'created e/f',
      'link l',
      'moved n m',
    ])
  })

  it('knows an empty file that moved where no other can be meant', () => {
    verifies('E6')
    plant(crib.project, { a: '', 'd/b': '' })
    expect(told(crib.shell('mv a c'))).toEqual(['moved c a'])
    expect(told(crib.shell('mv a c; mv d/b e'))).toEqual([
      'deleted a',
      'created c',
      'deleted d/b',
      'created e',
    ])
    expect(told(crib.shell('rm a; touch c d/c'))).toEqual(['deleted a', 'created c', 'created d/c'])
  })

  it('knows a link that moved, and one that was led elsewhere from one that moved', () => {
    verifies('E6')
    plant(crib.project, { a: 'a\n' })
    symlinkSync('a', join(crib.project, 'l'))
    expect(told(crib.shell('mv l m'))).toEqual(['moved m l'])
    expect(told(crib.shell('rm l; ln -s b m'))).toEqual(['deleted l', 'link m'])
    expect(told(crib.shell('ln -sfn b l; ln -s a m'))).toEqual(['link l', 'link m'])
  })

  it('has size, digest and lines of both sides', () => {
    verifies('E6')
    plant(crib.project, { text: 'one\ntwo\nthree\n', bytes: Buffer.from([0, 1, 2]) })
    const layer = crib.shell('printf "one\\n2\\nthree\\nfour" > text; printf "\\000" > bytes')
    const [bytes, text] = readChanges(layer).changes
    expect(text).toMatchObject({ kind: 'changed', isText: true, added: 2, removed: 1 })
    expect(text!.before).toMatchObject({ size: 14, lines: 3, sha256: sha256('one\ntwo\nthree\n') })
    expect(text!.after).toMatchObject({ size: 16, lines: 4, sha256: sha256('one\n2\nthree\nfour') })
    expect(bytes).toMatchObject({ kind: 'changed', isText: false, added: 0, removed: 0, after: { size: 1 } })
  })

  it('sees a folder that was emptied and made again, and one that became a file', () => {
    plant(crib.project, { 'd/x': 'x', 'd/y': 'y', 'f/x': '1', g: 'file' })
    const layer = crib.shell(
      'rm -r d; mkdir d; echo new > d/y; rm -r f; echo now > f; rm g; mkdir g; echo in > g/in',
    )
    expect(told(layer)).toEqual([
      'changed d/y',
      'deleted d/x',
      'deleted f/x',
      'changed f',
      'changed g',
      'created g/in',
    ])
  })

  it('marks what somebody else changed while the run was under way', () => {
    verifies('E12')
    plant(crib.project, { mine: '1', theirs: '1' })
    const layer = crib.shell('echo 2 > mine; echo 2 > theirs')
    chmodSync(join(crib.project, 'theirs'), 0o600)
    expect(readChanges(layer).changes.map(({ path, isStale }) => [path, isStale])).toEqual([
      ['mine', undefined],
      ['theirs', true],
    ])
  })

  it('takes everything for changed by others where the clock was set back meanwhile', () => {
    verifies('E12')
    plant(crib.project, { mine: '1' })
    const layer = crib.shell('echo 2 > mine; echo new > made')
    const stale = (of: typeof layer) => readChanges(of).changes.map(({ isStale = false }) => isStale)
    expect(stale(layer)).toEqual([false, false])
    // As if it had been an hour later when the layer was made.
    expect(stale({ ...layer, clockMs: layer.clockMs! + 3_600_000 })).toEqual([false, true])
    // Set forward: nothing that changes from then on can look older.
    expect(stale({ ...layer, clockMs: layer.clockMs! - 3_600_000 })).toEqual([false, false])
  })

  it('knows a file from before the clock was set back: its time is still to come', () => {
    verifies('E12')
    plant(crib.project, { mine: '1' })
    const made = crib.shell('echo 2 > mine')
    const hour = 3_600_000
    const real = Date.now
    const now = vi.spyOn(Date, 'now').mockImplementation(() => real() - hour)
    onTestFinished(() => void now.mockRestore())
    const layer = { ...made, madeAtMs: made.madeAtMs - hour, clockMs: made.clockMs! - hour }
    const isStale = (of: typeof made) => readChanges(of).changes[0]!.isStale ?? false
    expect(isStale(layer)).toBe(false)
    // The clock of another file system may simply be ahead.
    expect(isStale({ ...layer, folder: '/proc' })).toBe(true)
    // It was set back in the time of the call.
    expect(isStale({ ...layer, clockMs: made.clockMs! })).toBe(true)
  })

  it('stops at the limits and says which', () => {
    verifies('E7')
    const layer = crib.shell('for i in 1 2 3 4 5; do echo 12345 > $i; done')
    expect(readChanges(layer, { files: 3, bytes: 1000 })).toMatchObject({ exceeded: 'files' })
    expect(readChanges(layer, { files: 3, bytes: 1000 }).changes).toHaveLength(3)
    expect(readChanges(layer, { files: 10, bytes: 20 })).toMatchObject({ exceeded: 'bytes' })
    expect(readChanges(layer, { files: 5, bytes: 30 }).exceeded).toBeUndefined()
  })

  it('counts folders apart from files, and bounds them too', () => {
    verifies('E7')
    const layer = crib.shell('for i in 1 2 3; do mkdir -p $i; echo x > $i/file; done')
    expect(readChanges(layer, { files: 3, bytes: 1000 }).exceeded).toBeUndefined()
    expect(readChanges(layer, { files: 2, bytes: 1000 })).toMatchObject({ exceeded: 'files' })
    const folders = crib.shell('mkdir 1 2 3 4')
    expect(readChanges(folders, { files: 3, bytes: 1000 })).toMatchObject({ exceeded: 'files' })
  })

  it('knows a file that a person deleted meanwhile from one that the run made or moved', () => {
    verifies('E12')
    plant(crib.project, { gone: 'a\n', old: 'moved\n' })
    const layer = crib.shell('echo b >> gone; mv old renamed; echo new > fresh')
    rmSync(join(crib.project, 'gone'))
    const stale = readChanges(layer).changes.map(({ path, isStale = false }) => [path, isStale])
    expect(stale).toEqual([
      ['fresh', false],
      ['gone', true],
      ['renamed', false],
    ])
  })

  it('reads what changed, not the project', () => {
    plant(crib.project, { 'deep/unread': 'x' })
    const layer = crib.shell('echo x > new')
    rmSync(join(crib.project, 'deep'), { recursive: true })
    expect(told(layer)).toEqual(['created new'])
  })

  it('gives nothing for a run that was stopped or whose layer is gone', () => {
    verifies('E10')
    const layer = crib.shell('echo x > new')
    const notes = readFileSync(layer.notes)
    writeFileSync(layer.notes, '')
    expect(() => readChanges(layer)).toThrow('was not closed')
    writeFileSync(layer.notes, notes)
    rmSync(layer.upper, { recursive: true })
    expect(() => readChanges(layer)).toThrow('ENOENT')
  })
})
