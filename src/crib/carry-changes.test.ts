import { expect, it, onTestFinished } from 'vitest'
import { tempFolder } from '../../test/helpers/temp-folder.ts'
import type { CarryLayers } from '../sandbox/changes/project-changes.ts'
import type { Fence } from '../sandbox/fence.ts'
import { openFence } from '../sandbox/open-fence.ts'
import { Supervisor } from '../workers/supervisor.ts'
import { carryChanges } from './carry-changes.ts'

const layers = {} as CarryLayers

/** With a program of this text in place of the engine that mounts layers. */
function carried(script: string) {
  const supervisor = new Supervisor()
  onTestFinished(() => supervisor.close())
  const cwd = tempFolder()
  const spec = { file: '/bin/sh', args: ['-c', script], cwd, env: {} }
  const plain = openFence({ mode: 'off', project: cwd })
  const fence: Fence = Object.assign(Object.create(plain), { carry: () => spec })
  return carryChanges({ fence, supervisor }, [], layers)
}

it('is over when the engine has ended well', async () => {
  await expect(carried('exit 0')).resolves.toBeUndefined()
})

it.each([
  ['echo "no room left" >&2; exit 1', 'no room left'],
  ['exit 3', 'the engine ended'],
  ['kill -9 $$', 'the engine ended'],
])('says of %j why nothing of the call is kept (E13)', async (script, why) => {
  await expect(carried(script)).rejects.toMatchObject({
    code: 'TOOL_FAILED',
    message: `What the call wrote could not be made part of the held run: ${why}`,
    hint: expect.stringContaining('call it again'),
  })
})

it('is refused where no layer can be mounted', async () => {
  const supervisor = new Supervisor()
  onTestFinished(() => supervisor.close())
  const plain = openFence({ mode: 'off', project: tempFolder() })
  const fence: Fence = Object.assign(Object.create(plain), { carry: undefined })
  await expect(carryChanges({ fence, supervisor }, [], layers)).rejects.toMatchObject({
    code: 'SANDBOX_UNAVAILABLE',
  })
})
