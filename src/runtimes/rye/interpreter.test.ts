import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest'
import { hasFence } from '../../../test/helpers/fenced.ts'
import { RyeTestBed } from '../../../test/helpers/rye-test-bed.ts'
import { tempFolder } from '../../../test/helpers/temp-folder.ts'
import { verifies } from '../../../test/helpers/verifies.ts'
import { openFence } from '../../sandbox/open-fence.ts'
import type { RyeInterpreter } from '../../tool/plans/rye-plan.ts'
import { Interpreters } from './interpreter.ts'

let bed: RyeTestBed
let other: string

beforeEach(() => {
  bed = new RyeTestBed()
  other = tempFolder()
})
afterEach(() => bed.close())

const python: RyeInterpreter = {
  type: 'local_binary',
  var: 'RYE_PYTHON',
  binary: 'python',
  candidates: ['python3'],
  searchPaths: ['.venv/bin'],
  fallback: 'python3',
}
const program = (path: string, text = '#!/bin/sh\n') => bed.write(path, text, 0o755)
/** A program that is none of the project's. */
function elsewhere(path: string, text = '#!/bin/sh\n'): string {
  const file = join(other, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text, { mode: 0o755 })
  return file
}
const find = (interpreter: RyeInterpreter, host: NodeJS.ProcessEnv = {}, roots: string[] = []) =>
  new Interpreters(bed.env).find(interpreter, roots, { PATH: join(bed.dir, 'bin'), ...host })

it('takes the host’s variable when it is a program, else looks further', async () => {
  verifies('R30')
  const mine = program('mine')
  const local = program('.venv/bin/python')
  expect(await find(python, { RYE_PYTHON: mine })).toBe(mine)
  expect(await find(python, { RYE_PYTHON: '/no/such/file' })).toBe(local)
})

it('tries names under each search root, then under the project, then the fallback', async () => {
  verifies('R29', 'R30', 'R31')
  const fallback = program('bin/python3')
  expect(await find(python)).toBe(fallback)
  const inProject = program('.venv/bin/python3')
  expect(await find(python)).toBe(inProject)
  const inAnchor = program('anchor/.venv/bin/python')
  expect(await find(python, {}, [join(bed.dir, 'anchor')])).toBe(inAnchor)
})

it('takes the first line a command prints', async () => {
  verifies('R29')
  const target = elsewhere('tools/lang')
  elsewhere('bin/which-lang', `#!/bin/sh\necho ${other}/bin/../tools/lang\necho other\n`)
  const host = { PATH: join(other, 'bin') }
  expect(await find({ type: 'command', resolveCmd: ['which-lang'] }, host)).toBe(target)
  await expect(find({ type: 'command', resolveCmd: ['no-such'], fallback: 'none' })).rejects.toMatchObject({
    code: 'RUNTIME_MISSING',
    details: { tried: ['the answer of `no-such`', 'fallback none on PATH'] },
  })
})

it('asks a version manager’s shim once for the real program and remembers it on disk', async () => {
  const real = elsewhere('versions/3/bin/python3')
  const asked = join(bed.dir, 'asked')
  const shim = elsewhere('bin/python3', `#!/bin/sh\necho x >> ${asked}\necho ${real}\n`)
  const host = { PATH: join(other, 'bin') }
  expect(await find(python, host)).toBe(real)
  expect(await find(python, host)).toBe(real)
  expect(readFileSync(asked, 'utf8')).toBe('x\n')
  expect(existsSync(join(bed.spaces.state, 'cache/interpreters.json'))).toBe(true)
  utimesSync(shim, 1, 1)
  expect(await find(python, host)).toBe(real)
  expect(readFileSync(asked, 'utf8')).toBe('x\nx\n')
})

it('asks no program of the project, and takes none for an answer', async () => {
  verifies('G11')
  const asked = join(bed.dir, 'asked')
  const planted = program('.venv/bin/python', `#!/bin/sh\necho x >> ${asked}; echo /bin/sh\n`)
  expect(await find(python)).toBe(planted)
  elsewhere('bin/which-lang', `#!/bin/sh\necho ${planted}\n`)
  symlinkSync(planted, join(other, 'bin/link'))
  for (const resolveCmd of [['which-lang'], ['link'], [planted]])
    await expect(
      find({ type: 'command', resolveCmd, fallback: 'none' }, { PATH: join(other, 'bin') }),
    ).rejects.toMatchObject({ code: 'RUNTIME_MISSING' })
  expect(existsSync(asked)).toBe(false)
})

it.skipIf(!hasFence)('asks behind a fence that hides the state and the home folder', async () => {
  verifies('R29', 'R30', 'G11')
  const fence = openFence({ mode: 'preferred', project: bed.dir })
  const trace = join(bed.dir, 'trace')
  const real = elsewhere('versions/3/bin/python3')
  const interpreters = new Interpreters({ ...bed.env, fence })
  const loot = join(homedir(), `.canary-${process.pid}`)
  writeFileSync(loot, 'loot')
  onTestFinished(() => rmSync(loot))
  const script = `echo x > ${trace}; cat ${loot} || ls ${bed.spaces.state}/* || echo ${real}`
  const resolveCmd = ['sh', '-c', script]
  expect(await interpreters.find({ type: 'command', resolveCmd }, [], { PATH: '/bin' })).toBe(real)
  expect(existsSync(trace)).toBe(false)
  fence.close()
})
