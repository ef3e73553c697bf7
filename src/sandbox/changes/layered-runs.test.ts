// Random programs of file operations, run on a layer and directly: what is committed must be what they would have done.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canLayer, LayeredProject } from '../../../test/helpers/layered.ts'
import { treeOf } from '../../../test/helpers/trees.ts'
import { verifies } from '../../../test/helpers/verifies.ts'
import { commitChanges } from './commit-changes.ts'
import { layerSource } from './content-source.ts'
import { Images } from './images.ts'
import { projectState } from './layer.ts'
import { readChanges } from './read-changes.ts'
import { undoChanges } from './undo-changes.ts'

const path = fc.constantFrom('a', 'b', "'line\nbreak'", 'd', 'd/a', 'd/b', 'd/e', 'd/e/a', 'f/g/h')
const text = fc.constantFrom('one\\n', 'one\\ntwo\\n', 'no end', '')
const operation = fc.oneof(
  fc.tuple(path, text).map(([to, bytes]) => `printf '${bytes}' > ${to}`),
  fc.tuple(path, text).map(([to, bytes]) => `printf '${bytes}' >> ${to}`),
  fc.tuple(path, fc.nat(5)).map(([to, size]) => `truncate -s ${size} ${to}`),
  path.map((to) => `truncate -s 1M ${to}; printf end | dd of=${to} bs=1 seek=1048573 conv=notrunc`),
  fc.tuple(path, path).map(([from, to]) => `mv -f ${from} ${to}`),
  fc.tuple(path, path).map(([from, to]) => `mv -fT ${from} ${to}`),
  // Never into itself: what that leaves depends on the order in which a folder is listed.
  fc.constantFrom('a', 'b', 'd/e', 'd').map((from) => `cp -aT ${from} f`),
  path.map((to) => `rm -rf ${to}`),
  path.map((to) => `mkdir -p ${to}`),
  path.map((to) => `rm -rf ${to}; mkdir -p ${to}; printf new > ${to}/fresh`),
  fc.tuple(fc.constantFrom('0755', '0700', '0775'), path).map(([mode, to]) => `chmod ${mode} ${to}`),
  fc.tuple(path, path).map(([target, to]) => `ln -sfn ${target} ${to}`),
)
/** A file that had two names before the run has two contents after it: that is how layers are. */
const hardLink = fc.tuple(path, path).map(([from, to]) => `ln -f ${from} ${to}`)
const programOf = (line: fc.Arbitrary<string>) =>
  fc
    .array(line, { maxLength: 12 })
    .map((lines) => lines.map((one) => `{ ${one}; } 2>/dev/null || :`).join('\n'))

function directly(folder: string, script: string): void {
  const ended = spawnSync('/bin/sh', ['-c', script], { cwd: folder, env: { PATH: '/usr/bin:/bin' } })
  expect(ended.status).toBe(0)
}

/** One of the system, which the fence shows. */
const python = '/usr/bin/python3'

/** Runs a script on a layer of one tree and directly in another that was the same, commits, and undoes. */
async function compare(
  before: string,
  script: string,
  file = '/bin/sh',
  args = ['-c', script],
): Promise<void> {
  const crib = new LayeredProject()
  try {
    const direct = join(crib.top, 'direct')
    mkdirSync(direct)
    for (const folder of [crib.project, direct]) directly(folder, before)
    const first = treeOf(crib.project)
    const layer = crib.layer()
    crib.run(layer, file, args)
    const ended = spawnSync(file, args, { cwd: direct, env: { PATH: '/usr/bin:/bin' } })
    expect(ended.status).toBe(0)
    expect(treeOf(crib.project)).toEqual(first)
    const images = new Images(projectState('images', crib.project, crib.state))
    const options = { project: crib.project, journals: join(crib.top, 'journals'), images }
    const set = await commitChanges(readChanges(layer), layerSource(layer), {
      ...options,
      run: 'run',
      madeAtMs: layer.madeAtMs,
    })
    const direction = treeOf(direct)
    expect(treeOf(crib.project)).toEqual(direction)
    const undone = await undoChanges([set], { ...options, run: 'undo' })
    expect(treeOf(crib.project)).toEqual(first)
    await undoChanges([undone], { ...options, run: 'redo' })
    expect(treeOf(crib.project)).toEqual(direction)
  } finally {
    crib.close()
  }
}

describe.skipIf(!canLayer)('a run on a layer, committed', () => {
  it('leaves what the same run leaves directly, and undo leaves what was there first', async () => {
    verifies('E1', 'E6', 'E11', 'E14')
    await fc.assert(
      fc.asyncProperty(programOf(operation), programOf(fc.oneof(operation, hardLink)), (before, script) =>
        compare(before, script),
      ),
      { numRuns: 25 },
    )
  }, 180_000)

  it('does so for files that are moved and linked into folders the run makes', async () => {
    await compare('echo a > a; echo b > b', 'mkdir -p d/e; mv a d/e/a; ln -f b d/b')
  }, 60_000)

  it('does so for many files and a large one', async () => {
    const many = 'mkdir many; for i in $(seq 300); do echo $i > many/$i; done'
    await compare(
      many,
      'rm many/1*; mkdir more; mv many/2* more; head -c 20000000 /dev/zero | tr "\\0" x > large',
    )
  }, 60_000)

  it.skipIf(!existsSync(python))(
    'does so for a database with a log and for memory that is a file',
    async () => {
      const script = [
        'import mmap, sqlite3',
        'base = sqlite3.connect("base.db")',
        'base.execute("pragma journal_mode=wal")',
        'base.execute("create table t (n)")',
        'base.executemany("insert into t values (?)", [(n,) for n in range(1000)])',
        'base.commit(); base.close()',
        'with open("mapped", "r+b") as file:',
        '    with mmap.mmap(file.fileno(), 0) as memory: memory[0:3] = b"new"',
      ].join('\n')
      await compare('echo old text > mapped', script, python, ['-I', '-c', script])
    },
    60_000,
  )

  it('keeps names that are no UTF-8, and what two runs wrote to different files', async () => {
    const crib = new LayeredProject()
    try {
      const name = 'name="$(printf "\\\\377")"'
      writeFileSync(join(crib.project, 'b'), 'old\n')
      const layers = [
        `${name}; echo one > "$name"; mkdir "d$name"; echo x > "d$name/$name"`,
        'echo two > b',
      ].map((script) => crib.shell(script))
      const images = new Images(projectState('images', crib.project, crib.state))
      const sets = await Promise.all(
        layers.map((layer, index) =>
          commitChanges(readChanges(layer), layerSource(layer), {
            project: crib.project,
            journals: join(crib.top, 'journals'),
            images,
            run: `run-${index}`,
            madeAtMs: layer.madeAtMs,
          }),
        ),
      )
      expect(sets[0]!.changes.map((change) => change.path)).toEqual(['d\udcff', 'd\udcff/\udcff', '\udcff'])
      expect(readFileSync(Buffer.from(`${crib.project}/\xff`, 'latin1'), 'utf8')).toBe('one\n')
      expect(readFileSync(join(crib.project, 'b'), 'utf8')).toBe('two\n')
    } finally {
      crib.close()
    }
  })
})
