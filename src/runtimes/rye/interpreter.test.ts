import { existsSync, readFileSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { hasFence } from '../../../test/helpers/fenced.ts'
import { Workshop } from '../../../test/helpers/rye-workshop.ts'
import { verifies } from '../../../test/helpers/verifies.ts'
import { openFence } from '../../sandbox/open-fence.ts'
import type { RyeInterpreter } from '../../tool/plans/rye-plan.ts'
import { Interpreters } from './interpreter.ts'

let shop: Workshop

beforeEach(() => {
  shop = new Workshop()
})
afterEach(() => shop.close())

const python: RyeInterpreter = {
  type: 'local_binary',
  var: 'RYE_PYTHON',
  binary: 'python',
  candidates: ['python3'],
  searchPaths: ['.venv/bin'],
  fallback: 'python3',
}
const program = (path: string, text = '#!/bin/sh\n') => shop.write(path, text, 0o755)
const find = (interpreter: RyeInterpreter, host: NodeJS.ProcessEnv = {}, roots: string[] = []) =>
  new Interpreters(shop.env).find(interpreter, roots, { PATH: join(shop.dir, 'bin'), ...host })

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
  expect(await find(python, {}, [join(shop.dir, 'anchor')])).toBe(inAnchor)
})

it('takes the first line a command prints', async () => {
  verifies('R29')
  const target = program('tools/lang')
  program('bin/which-lang', `#!/bin/sh\necho ${target}\necho other\n`)
  expect(await find({ type: 'command', resolveCmd: ['which-lang'] })).toBe(target)
  await expect(find({ type: 'command', resolveCmd: ['no-such'], fallback: 'none' })).rejects.toMatchObject({
    code: 'RUNTIME_MISSING',
    details: { tried: ['the answer of `no-such`', 'fallback none on PATH'] },
  })
})

it('asks a version manager’s shim once for the real program and remembers it on disk', async () => {
  const real = program('versions/3/bin/python3')
  const asked = join(shop.dir, 'asked')
  const shim = program('bin/python3', `#!/bin/sh\necho x >> ${asked}\necho ${real}\n`)
  expect(await find(python)).toBe(real)
  expect(await find(python)).toBe(real)
  expect(readFileSync(asked, 'utf8')).toBe('x\n')
  expect(existsSync(join(shop.spaces.state, 'cache/interpreters.json'))).toBe(true)
  utimesSync(shim, 1, 1)
  expect(await find(python)).toBe(real)
  expect(readFileSync(asked, 'utf8')).toBe('x\nx\n')
})

it.skipIf(!hasFence)('asks behind the fence: the project names what answers', async () => {
  verifies('R29', 'R30')
  const fence = openFence({ mode: 'preferred', project: shop.dir })
  const trace = join(shop.dir, 'trace')
  const real = program('versions/3/bin/python3')
  const planted = program('.venv/bin/python', `#!/bin/sh\necho x > ${trace}; echo ${real}\n`)
  const interpreters = new Interpreters({ ...shop.env, fence })
  const resolveCmd = ['sh', '-c', `ls ${shop.spaces.state} > ${trace}; echo ${planted}`]
  expect(await interpreters.find(python, [], {})).toBe(real)
  expect(await interpreters.find({ type: 'command', resolveCmd }, [], { PATH: '/bin' })).toBe(real)
  expect(existsSync(trace)).toBe(false)
  fence.close()
})
