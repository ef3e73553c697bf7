import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { canLayer, LayeredProject } from '../../../test/helpers/layered.ts'
import { changesBetween, plant, treeOf } from '../../../test/helpers/trees.ts'
import { verifies } from '../../../test/helpers/verifies.ts'
import { type ChangeSet, transitionsOf } from './change-set.ts'
import { type CommitOptions, commitChanges, keepImages } from './commit-changes.ts'
import { layerSource } from './content-source.ts'
import { type Disk, realDisk } from './disk.ts'
import { Images } from './images.ts'
import { readChanges } from './read-changes.ts'
import { imageContents, planUndo, undoChanges } from './undo-changes.ts'
import { unifiedDiff } from './unified-diff.ts'

let top: string
let project: string
let fresh: string
let options: Omit<CommitOptions, 'run'>
beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'commit-')))
  project = join(top, 'project')
  fresh = join(top, 'fresh')
  for (const folder of [project, fresh]) mkdirSync(folder)
  options = { project, journals: join(top, 'journals'), images: new Images(join(top, 'images')) }
})
afterEach(() => rmSync(top, { recursive: true }))

function source() {
  return layerSource({ upper: fresh })
}

/** Commits what the folder of new files has. */
async function commit(set: ChangeSet, more: Partial<CommitOptions> = {}): Promise<ChangeSet> {
  return await commitChanges(set, source(), { ...options, run: 'run', ...more })
}

/** Plants both trees; what makes the one of the other. */
function planned(before: Record<string, string>, after: Record<string, string>): ChangeSet {
  plant(project, before)
  plant(fresh, after)
  return changesBetween(project, fresh)
}

const five = ['1', '2', '3', '4', '5']
const lines = (...given: string[]) => given.map((line) => `${line}\n`).join('')

describe('a commit', () => {
  it('keeps the time at which the run wrote a file, and leaves no journal', async () => {
    const set = planned({}, { a: 'a' })
    utimesSync(join(fresh, 'a'), 1000, 1000)
    await commit(set)
    expect(statSync(join(project, 'a')).mtimeMs).toBe(1_000_000)
    expect(readdirSync(options.journals)).toEqual([])
  })

  it('has what it did recorded before it is closed', async () => {
    verifies('E11')
    const open: number[] = []
    const record = (set: ChangeSet) => {
      open.push(set.changes.length, readdirSync(options.journals).length)
    }
    await commit(planned({}, { a: 'a' }), { record })
    expect(open).toEqual([1, 1])
  })

  it('is told of before its journal is closed, and who wants the same path next waits for that', async () => {
    verifies('E11')
    const set = planned({}, { a: 'a' })
    let free = () => {}
    const isFree = new Promise<void>((resolve) => {
      free = resolve
    })
    let isInPlace = false
    // The disk does not answer once everything is in place.
    const disk: Disk = {
      ...realDisk,
      fsync: ((descriptor, done) =>
        void (isInPlace ? isFree : Promise.resolve()).then(() =>
          realDisk.fsync(descriptor, done),
        )) as Disk['fsync'],
    }
    const closing: Promise<void>[] = []
    const record = () => {
      isInPlace = true
    }
    await commit(set, { disk, record, later: (promise) => closing.push(promise) })
    expect(readdirSync(options.journals)).toHaveLength(1)
    writeFileSync(join(fresh, 'a'), 'b')
    const ended: string[] = []
    const next = commit(changesBetween(project, fresh)).then(() => ended.push('next'))
    void closing[0]!.then(() => ended.push('closed'))
    free()
    await next
    expect(ended).toEqual(['closed', 'next'])
    expect(readFileSync(join(project, 'a'), 'utf8')).toBe('b')
    expect(readdirSync(options.journals)).toEqual([])
  })

  it('goes through no link that somebody put in the way', async () => {
    verifies('E11')
    const outside = join(top, 'outside')
    mkdirSync(outside)
    const set = planned({ 'd/a': 'old' }, { 'd/a': 'new', 'd/b': 'new' })
    rmSync(join(project, 'd'), { recursive: true })
    symlinkSync(outside, join(project, 'd'))
    await expect(commit(set, { onConflict: 'overwrite' })).rejects.toMatchObject({
      code: 'CONFLICT',
      details: { paths: ['d/a', 'd/b'] },
    })
    expect(readdirSync(outside)).toEqual([])
  })

  it('commits nothing when the content is not what was judged', async () => {
    const set = planned({ a: '1', b: '1' }, { a: '2', b: '2' })
    writeFileSync(join(fresh, 'b'), 'changed afterwards')
    await expect(commit(set)).rejects.toThrow('is not what it was when it was judged')
    expect(readFileSync(join(project, 'a'), 'utf8')).toBe('1')
  })

  it.each(['b', 'c'])('is taken back where a person writes %s while it is put in place', async (late) => {
    verifies('E12')
    const set = planned({ a: 'a', b: 'b' }, { a: 'A', b: 'B', c: 'C' })
    const renameSync: Disk['renameSync'] = (from, to) => {
      realDisk.renameSync(from, to)
      if (`${to}`.endsWith('/a')) writeFileSync(join(project, late), 'of a person')
    }
    await expect(commit(set, { disk: { ...realDisk, renameSync } })).rejects.toThrow('nothing was changed')
    expect([...readdirSync(project)].map((name) => readFileSync(join(project, name), 'utf8'))).toEqual(
      late === 'b' ? ['a', 'of a person'] : ['a', 'b', 'of a person'],
    )
  })

  it('does nothing for what is there already', async () => {
    const set = planned({ a: '1' }, { a: '2', 'd/e': 'x' })
    plant(project, { a: '2', 'd/e': 'x' })
    expect(await commit(set)).toEqual({ changes: [] })
  })
})

describe('many commits at the same time', () => {
  it('lose nothing and mix nothing', async () => {
    const all = Array.from({ length: 40 }, (_, index) => `f${index}`)
    plant(project, { shared: '/' })
    plant(fresh, Object.fromEntries(all.map((name) => [`shared/${name}`, name])))
    const { changes } = changesBetween(project, fresh)
    const sets = await Promise.all(
      all.map((name) =>
        commit({ changes: changes.filter(({ path }) => path.endsWith(`/${name}`)) }, { run: name }),
      ),
    )
    expect(sets.map((set) => set.changes.map(({ path }) => path))).toEqual(
      all.map((name) => [`shared/${name}`]),
    )
    expect(treeOf(project)).toEqual(treeOf(fresh))
    expect(readdirSync(options.journals)).toEqual([])
  })

  it('are merged where they meet in one file', async () => {
    verifies('E12')
    const first = Array.from({ length: 20 }, (_, index) => `line ${index}`)
    plant(project, { a: lines(...first) })
    const sets = [0, 5, 10, 15].map((index) => {
      const other = join(top, `fresh-${index}`)
      plant(other, { a: lines(...first.with(index, 'changed')) })
      return { set: changesBetween(project, other), source: layerSource({ upper: other }), run: `${index}` }
    })
    await Promise.all(sets.map(({ set, source, run }) => commitChanges(set, source, { ...options, run })))
    const expected = first.map((line, index) => (index % 5 === 0 ? 'changed' : line))
    expect(readFileSync(join(project, 'a'), 'utf8')).toBe(lines(...expected))
  })
})

describe('a path that somebody else changed', () => {
  it('is merged where the changes do not touch', async () => {
    verifies('E12')
    const set = planned({ a: lines(...five) }, { a: lines('one', '2', '3', '4', '5') })
    keepImages(set.changes.flatMap(transitionsOf), project, options.images)
    writeFileSync(join(project, 'a'), lines('1', '2', '3', '4', 'five'))
    const done = await commit(set)
    expect(readFileSync(join(project, 'a'), 'utf8')).toBe(lines('one', '2', '3', '4', 'five'))
    expect(done.changes).toMatchObject([{ kind: 'changed', path: 'a', added: 1, removed: 1 }])
    await undoChanges([done], { ...options, run: 'undo' })
    expect(readFileSync(join(project, 'a'), 'utf8')).toBe(lines('1', '2', '3', '4', 'five'))
  })

  it('is a conflict where they do, and nothing is committed', async () => {
    verifies('E12')
    const set = planned({ a: '1\n', b: '1\n' }, { a: '2\n', b: '2\n' })
    keepImages(set.changes.flatMap(transitionsOf), project, options.images)
    writeFileSync(join(project, 'a'), '3\n')
    await expect(commit(set)).rejects.toMatchObject({ code: 'CONFLICT', details: { paths: ['a'] } })
    expect(readFileSync(join(project, 'b'), 'utf8')).toBe('1\n')
    await commit(set, { onConflict: 'overwrite' })
    expect(treeOf(project)).toEqual(treeOf(fresh))
  })

  it.each<[string, Record<string, string>, Record<string, string>, () => void, string[]]>([
    ['deleted', { a: '1' }, { a: '2' }, () => rmSync(join(project, 'a')), ['a']],
    ['made', {}, { a: '2' }, () => writeFileSync(join(project, 'a'), '3'), ['a']],
    ['deleted here, changed there', { a: '1' }, {}, () => writeFileSync(join(project, 'a'), '3'), ['a']],
    ['new in a deleted folder', { 'd/a': '1' }, {}, () => writeFileSync(join(project, 'd/b'), '3'), ['d/b']],
    [
      'in a folder that was deleted',
      { 'd/a': '1' },
      { 'd/a': '1', 'd/b': '2' },
      () => rmSync(join(project, 'd'), { recursive: true }),
      ['d/b'],
    ],
    ['given other rights', { a: '1' }, { a: '2' }, () => chmodSync(join(project, 'a'), 0o600), ['a']],
  ])('is a conflict when it was %s', async (_, before, after, act, paths) => {
    verifies('E12')
    const set = planned(before, after)
    act()
    const there = treeOf(project)
    await expect(commit(set)).rejects.toMatchObject({ code: 'CONFLICT', details: { paths } })
    expect(treeOf(project)).toEqual(there)
  })

  it('is no conflict when both made the same folder', async () => {
    const set = planned({}, { 'd/a': 'a' })
    plant(project, { 'd/b': 'b' })
    await commit(set)
    expect(readdirSync(join(project, 'd'))).toEqual(['a', 'b'])
  })
})

describe.skipIf(!canLayer)('two runs at the same time', () => {
  it('are merged when they changed different places of one file', async () => {
    verifies('E12')
    const crib = new LayeredProject()
    try {
      plant(crib.project, { a: lines(...five) })
      const [one, two] = [crib.layer(), crib.layer()]
      crib.run(one, '/bin/sh', ['-c', 'sed -i s/1/one/ a'])
      crib.run(two, '/bin/sh', ['-c', 'sed -i s/5/five/ a'])
      for (const layer of [one, two]) {
        const more = { ...options, project: crib.project, run: layer.folder, madeAtMs: layer.madeAtMs }
        await commitChanges(readChanges(layer), layerSource(layer), more)
      }
      expect(readFileSync(join(crib.project, 'a'), 'utf8')).toBe(lines('one', '2', '3', '4', 'five'))
    } finally {
      crib.close()
    }
  })
})

describe('undo', () => {
  const before = { a: '1\n', 'd/gone': 'x', mode: 'm' }
  const after = { a: '2\n', 'n/made': 'y', mode: 'm' }

  it('puts back what a run changed, and can be undone', async () => {
    verifies('E14')
    const set = planned(before, after)
    const first = treeOf(project)
    const done = await commit(set)
    const undone = await undoChanges([done], { ...options, run: 'undo' })
    expect(treeOf(project)).toEqual(first)
    await undoChanges([undone], { ...options, run: 'redo' })
    expect(treeOf(project)).toEqual(treeOf(fresh))
  })

  it('does nothing the second time', async () => {
    const done = await commit(planned(before, after))
    await undoChanges([done], { ...options, run: 'undo' })
    expect(await undoChanges([done], { ...options, run: 'again' })).toEqual({ changes: [] })
  })

  it('takes several runs back at once, newest first', async () => {
    verifies('E14')
    const one = await commit(planned({ a: '1' }, { a: '2', b: 'new' }))
    plant(fresh, { a: '3' })
    rmSync(join(fresh, 'b'))
    const two = await commit(changesBetween(project, fresh))
    const undone = await undoChanges([two, one], { ...options, run: 'undo' })
    expect(Object.keys(treeOf(project))).toEqual(['a'])
    expect(readFileSync(join(project, 'a'), 'utf8')).toBe('1')
    expect(undone.changes.map(({ path }) => path)).toEqual(['a'])
  })

  it('lists what something else changed since, and changes nothing', async () => {
    verifies('E14')
    const done = await commit(
      planned({ a: lines(...five), b: '1' }, { a: lines('one', '2', '3', '4', '5'), b: '2' }),
    )
    writeFileSync(join(project, 'a'), lines('one', '2', '3', '4', 'five'))
    expect(planUndo([done], options).conflicts).toEqual(['a'])
    await expect(undoChanges([done], { ...options, run: 'undo' })).rejects.toMatchObject({
      code: 'CONFLICT',
      details: { paths: ['a'] },
    })
    expect(readFileSync(join(project, 'b'), 'utf8')).toBe('2')
  })

  it.each([
    ['merge', lines('1', '2', '3', '4', 'five')],
    ['overwrite', lines(...five)],
  ] as const)('goes on with %s', async (onConflict, expected) => {
    verifies('E14')
    const done = await commit(planned({ a: lines(...five) }, { a: lines('one', '2', '3', '4', '5') }))
    writeFileSync(join(project, 'a'), lines('one', '2', '3', '4', 'five'))
    await undoChanges([done], { ...options, run: 'undo', onConflict })
    expect(readFileSync(join(project, 'a'), 'utf8')).toBe(expected)
  })

  it('says so when what was there before is no longer kept', async () => {
    verifies('E15')
    const done = await commit(planned(before, after))
    options.images.prune({ days: 0, bytes: 0 })
    await expect(undoChanges([done], { ...options, run: 'undo' })).rejects.toThrow('is no longer kept')
    expect(treeOf(project)).toEqual(treeOf(fresh))
  })

  it('shows the difference of a run later', async () => {
    verifies('E16')
    const done = await commit(planned({ a: '1\n' }, { a: '2\n' }))
    rmSync(fresh, { recursive: true })
    mkdirSync(fresh)
    expect(unifiedDiff(done, imageContents(options.images))).toContain('-1\n+2\n')
    expect(existsSync(join(project, 'a'))).toBe(true)
  })
})
