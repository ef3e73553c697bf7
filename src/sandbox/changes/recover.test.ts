import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { deadAfter, fullAfter, watchedDisk } from '../../../test/helpers/dying-disk.ts'
import { changesBetween, plant, treeOf } from '../../../test/helpers/trees.ts'
import { verifies } from '../../../test/helpers/verifies.ts'
import { thisNode } from '../../config/node-identity.ts'
import { sha256 } from '../../tool/json.ts'
import type { ChangeSet } from './change-set.ts'
import { commitChanges } from './commit-changes.ts'
import { layerSource } from './content-source.ts'
import type { Disk } from './disk.ts'
import { Images } from './images.ts'
import { recover } from './recover.ts'

let top: string
beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'recover-')))
})
afterEach(() => rmSync(top, { recursive: true }))

/** A project and what shall become of it: one of every kind of change. */
function scene(name: string) {
  const folder = join(top, name)
  const [project, fresh] = [join(folder, 'project'), join(folder, 'fresh')]
  plant(project, {
    changed: 'old\n',
    gone: 'old\n',
    mode: 'same',
    'd/e/deep': 'x',
    turned: 'file',
    link: '-> gone',
  })
  plant(fresh, {
    changed: 'new\n',
    made: 'new',
    mode: 'same',
    'n/m/deep': 'y',
    'turned/in': 'z',
    link: '-> made',
  })
  chmodSync(join(fresh, 'mode'), 0o755)
  const [journals, images] = [join(folder, 'journals'), join(folder, 'images')]
  const commit = (disk?: Disk) =>
    commitChanges(changesBetween(project, fresh), layerSource({ upper: fresh }), {
      project,
      journals,
      images: new Images(images, disk),
      run: 'a/run',
      ...(disk && { disk }),
    })
  const repair = (disk?: Disk, record?: (set: ChangeSet, run: string) => void) =>
    recover(journals, {
      project,
      images: new Images(images),
      isAlive: () => false,
      ...(disk && { disk }),
      ...(record && { record }),
    })
  return { project, fresh, journals, images, commit, repair, old: treeOf(project), wanted: treeOf(fresh) }
}

/** How many calls that write a whole commit makes. */
async function callsOf(act: (disk: Disk) => Promise<unknown>): Promise<number> {
  let calls = 0
  await act(
    watchedDisk((_, count) => {
      calls = count
    }),
  )
  return calls
}

it('leaves the old tree or the new one, wherever the process dies', async () => {
  verifies('E11')
  const calls = await callsOf(scene('whole').commit)
  const states = new Set<string>()
  for (let n = 0; n <= calls; n++) {
    const { commit, repair, project, old, wanted, journals } = scene(`dies-${n}`)
    await commit(deadAfter(n)).catch(() => {})
    const recorded: string[] = []
    const [found] = await repair(undefined, (set, run) => recorded.push(`${run} ${set.changes.length}`))
    const isNew = found ? found.state === 'carried-through' : n > 0
    expect([n, treeOf(project)]).toEqual([n, isNew ? wanted : old])
    expect(readdirSync(journals, { recursive: true })).toEqual([])
    expect(await repair()).toEqual([])
    if (found) {
      expect(found.run).toBe('a/run')
      expect(recorded).toHaveLength(isNew ? 1 : 0)
      states.add(found.state)
    }
  }
  expect([...states].sort()).toEqual(['carried-through', 'rolled-back'])
}, 120_000)

it('is finished by a later start when the one that recovers dies too', async () => {
  verifies('E11')
  const calls = await callsOf(scene('whole').commit)
  for (let n = 5; n <= calls; n += 4) {
    for (const again of [1, 3, 6]) {
      const { commit, repair, project, old, wanted } = scene(`dies-${n}-${again}`)
      await commit(deadAfter(n)).catch(() => {})
      await repair(deadAfter(again)).catch(() => {})
      await repair()
      expect([old, wanted]).toContainEqual(treeOf(project))
    }
  }
}, 120_000)

it('changes nothing when the disk is full', async () => {
  verifies('E11')
  const calls = await callsOf(scene('whole').commit)
  const outcomes = new Set<string>()
  for (let n = 0; n < calls; n++) {
    const { commit, project, old, wanted, journals, repair } = scene(`full-${n}`)
    const outcome = await commit(fullAfter(n)).then(
      () => 'committed',
      (error) => `${error.code}`,
    )
    outcomes.add(outcome)
    expect([n, treeOf(project)]).toEqual([n, outcome === 'committed' ? wanted : old])
    if (outcome !== 'committed') expect(readdirSync(journals)).toEqual([])
    await repair()
    expect(readdirSync(journals)).toEqual([])
  }
  expect([...outcomes].sort()).toEqual(['TOOL_FAILED', 'committed'])
}, 120_000)

it('rolls back what a file that changed since the death stands in the way of', async () => {
  const calls = await callsOf(scene('whole').commit)
  for (let n = 0; n <= calls; n++) {
    const { commit, repair, project, journals } = scene(`edited-${n}`)
    await commit(deadAfter(n)).catch(() => {})
    const isOpen = readdirSync(journals, { recursive: true }).some((name) =>
      String(name).endsWith('/journal'),
    )
    if (!isOpen || treeOf(project)['made']) continue
    writeFileSync(join(project, 'made'), 'by a person')
    const old = { ...scene(`again-${n}`).old, made: treeOf(project)['made'] }
    expect(await repair()).toEqual([{ run: 'a/run', state: 'rolled-back' }])
    expect(treeOf(project)).toEqual(old)
    return
  }
  expect.unreachable('No commit was interrupted between journal and rename.')
})

it('leaves alone what a living process works on', async () => {
  const { project, commit, journals, images } = scene('living')
  await commit(deadAfter(20)).catch(() => {})
  const open = readdirSync(journals)
  expect(open).toHaveLength(1)
  expect(await recover(journals, { project, images: new Images(images) })).toEqual([])
  expect(readdirSync(journals)).toEqual(open)
})

it('forgets a journal that the power failure left half written, before anything was replaced', async () => {
  verifies('E11')
  const { journals, repair, project, old } = scene('torn')
  plant(journals, { 'x.1.1.1_run/journal': '{"run":"run","pro', 'x.1.1.1_run/n0': 'new' })
  expect(await repair()).toEqual([{ run: 'run', state: 'rolled-back' }])
  expect(treeOf(project)).toEqual(old)
  expect(readdirSync(journals)).toEqual([])
})

it('takes a commit back whose new content did not reach the disk', async () => {
  verifies('E11')
  const { commit, journals, repair, project, old } = scene('unflushed')
  // Everything is written, nothing is in place: the first rename of a commit is that of the first removal.
  const disk = watchedDisk((name) => {
    if (name === 'renameSync' && existsSync(journalIn(journals))) throw new Error('The power failed.')
  })
  await commit({ ...disk, rmSync: () => {} }).catch(() => {})
  const folder = dirname(journalIn(journals))
  const fresh = readdirSync(folder).filter((name) => name.startsWith('n'))
  expect(fresh.length).toBeGreaterThan(1)
  writeFileSync(join(folder, fresh[0]!), '')
  expect(await repair()).toEqual([{ run: 'a/run', state: 'rolled-back' }])
  expect(treeOf(project)).toEqual(old)
  expect(readdirSync(journals)).toEqual([])
})

it('makes images again that did not reach the disk', async () => {
  verifies('E11', 'E15')
  const { commit, journals, images, repair, project, wanted } = scene('images')
  const disk = watchedDisk((name, _) => {
    if (name === 'rmSync') throw new Error('The power failed.')
  })
  // In place, and the journal not closed.
  await commit({
    ...disk,
    renameSync: (from, to) => {
      if (String(to).endsWith('/done')) throw new Error('The power failed.')
      renameSync(from, to)
    },
  }).catch(() => {})
  expect(existsSync(journalIn(journals))).toBe(true)
  rmSync(images, { recursive: true })
  mkdirSync(images)
  expect(await repair()).toEqual([{ run: 'a/run', state: 'carried-through' }])
  expect(treeOf(project)).toEqual(wanted)
  expect(new Images(images).read(sha256('old\n'))?.toString()).toBe('old\n')
})

function journalIn(journals: string): string {
  const [name = ''] = existsSync(journals) ? readdirSync(journals) : []
  return join(journals, name, 'journal')
}

it('names a journal that is damaged and leaves it', async () => {
  const { journals, repair } = scene('damaged')
  plant(journals, { 'x.1.1.1_run/journal': '{', 'x.1.1.1_run/o0': 'old' })
  await expect(repair()).rejects.toThrow(`${thisNode()}_run cannot be read`)
  expect(readdirSync(journals)).toEqual([`${thisNode()}_run`])
})

it('is done by one of two that start at once, and recorded once', async () => {
  verifies('E11')
  const { commit, project, wanted, journals, images } = scene('twice')
  await commit(deadAfter((await callsOf(scene('whole').commit)) - 12)).catch(() => {})
  renameSync(join(journals, `${thisNode()}_a%2Frun`), join(journals, 'x.1.1.1_a%2Frun'))
  const recorded: string[] = []
  const record = (_: ChangeSet, run: string) => void recorded.push(run)
  const start = () => recover(journals, { project, images: new Images(images), record })
  const found = await Promise.all([start(), start()])
  expect(found.flat()).toEqual([{ run: 'a/run', state: 'carried-through' }])
  expect(recorded).toEqual(['a/run'])
  expect(treeOf(project)).toEqual(wanted)
  expect(readdirSync(journals)).toEqual([])
})

it('finds nothing where nothing was ever committed', async () => {
  expect(await recover(join(top, 'none'), { project: top, images: new Images(join(top, 'images')) })).toEqual(
    [],
  )
})

it('survives a real kill', async () => {
  verifies('E11')
  const calls = await callsOf(scene('whole').commit)
  const at = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url))
  const loader = at('system/tools/rye/core/runtimes/node/bootstrap/typescript.mjs')
  // Each needs a process of its own: every fourth call here, every call in the tests above.
  for (let n = 2; n < calls; n += 4) {
    const { project, fresh, journals, images, old, wanted } = scene(`killed-${n}`)
    mkdirSync(journals)
    const args = [
      '--import',
      loader,
      at('test/helpers/fixtures/doomed-commit.ts'),
      String(n),
      project,
      fresh,
      journals,
      images,
    ]
    const ended = spawnSync(process.execPath, args, { encoding: 'utf8' })
    expect([ended.stderr, ended.signal]).toEqual(['', 'SIGKILL'])
    const [found] = await recover(journals, { project, images: new Images(images) })
    // Nothing is found when only the closed journal was still to be removed.
    expect([n, treeOf(project)]).toEqual([n, found?.state === 'rolled-back' ? old : wanted])
    expect(readdirSync(journals)).toEqual([])
  }
}, 120_000)
