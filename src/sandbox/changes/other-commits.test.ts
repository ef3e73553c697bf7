// Another process, halted in the middle of its commit, and ours beside it.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { watchedDisk } from '../../../test/helpers/dying-disk.ts'
import { changesBetween, plant } from '../../../test/helpers/trees.ts'
import { verifies } from '../../../test/helpers/verifies.ts'
import { commitChanges } from './commit-changes.ts'
import { layerSource } from './content-source.ts'
import { Images } from './images.ts'
import { journalName } from './other-commits.ts'

const at = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url))
const lines = (...given: string[]) => given.map((line) => `${line}\n`).join('')

let top: string
let go: string
let other: ChildProcess
const inTop = (name: string) => join(top, name)

/** A process that changes the first line of `text`, and is about to put it in place. */
beforeEach(async () => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'others-')))
  go = inTop('go')
  mkdirSync(inTop('journals'))
  plant(inTop('project'), { text: lines('1', '2', '3', '4', '5'), else: 'old' })
  plant(inTop('theirs'), { text: lines('one', '2', '3', '4', '5'), else: 'old' })
  other = spawn(
    process.execPath,
    [
      '--import',
      at('system/tools/rye/core/runtimes/node/bootstrap/typescript.mjs'),
      at('test/helpers/fixtures/halted-commit.ts'),
      go,
      ...['project', 'theirs', 'journals', 'images'].map(inTop),
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  await once(other.stdout!, 'data')
}, 30_000)
afterEach(async () => {
  if (other.exitCode === null && other.signalCode === null) {
    other.kill('SIGKILL')
    await once(other, 'exit')
  }
  rmSync(top, { recursive: true })
})

/** Our commit of a new tree; `tell` is called with each call that writes. */
function commit(run: string, files: Record<string, string>, tell: (name: string) => void = () => {}) {
  plant(inTop('ours'), { text: lines('1', '2', '3', '4', '5'), else: 'old', ...files })
  return commitChanges(
    changesBetween(inTop('project'), inTop('ours')),
    layerSource({ upper: inTop('ours') }),
    {
      project: inTop('project'),
      journals: inTop('journals'),
      images: new Images(inTop('images')),
      run,
      disk: watchedDisk(tell),
    },
  )
}

const five = { text: lines('1', '2', '3', '4', 'five') }
const text = () => readFileSync(inTop('project/text'), 'utf8')

it('waits until an older run has put the same file in place, and merges', async () => {
  verifies('E12')
  const isWaiting = new Promise<void>((resolve) => {
    // It takes its own journal away before it waits.
    void commit('z', five, (name) => name === 'rmSync' && resolve()).then(() =>
      writeFileSync(inTop('done'), ''),
    )
  })
  await isWaiting
  expect(existsSync(inTop('done'))).toBe(false)
  writeFileSync(go, '')
  await expect.poll(() => existsSync(inTop('done')), { timeout: 30_000 }).toBe(true)
  expect(text()).toBe(lines('one', '2', '3', '4', 'five'))
})

it('goes before a younger run that has not begun, and after one that has', async () => {
  verifies('E12')
  const ours = commit('a', five)
  await expect
    .poll(() => existsSync(inTop(`journals/${journalName('a')}/journal`)), { timeout: 30_000 })
    .toBe(true)
  writeFileSync(go, '')
  await ours
  expect(text()).toBe(lines('one', '2', '3', '4', 'five'))
})

it('waits for nobody who commits other files', async () => {
  verifies('E12')
  await commit('z', { else: 'new' })
  expect(readFileSync(inTop('project/else'), 'utf8')).toBe('new')
  expect(existsSync(go)).toBe(false)
})

it('waits no longer for a process that died', async () => {
  const ours = commit('a', five)
  await expect
    .poll(() => existsSync(inTop(`journals/${journalName('a')}/journal`)), { timeout: 30_000 })
    .toBe(true)
  other.kill('SIGKILL')
  await ours
  expect(text()).toBe(lines('1', '2', '3', '4', 'five'))
})
