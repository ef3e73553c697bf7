// How a program behind the fence ends: when it is stopped before it began, and when it dies of a signal.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { FencedCrib } from '../../test/helpers/fenced.ts'
import { verifies } from '../../test/helpers/verifies.ts'
import { describeExit, readExit } from './exit.ts'
import { runToEnd } from './run-to-end.ts'

let crib: FencedCrib

beforeAll(() => {
  crib = new FencedCrib()
})
afterAll(() => crib.close())

it.each(['limit', 'cancel'])(
  'a %s that meets a starting program ends it before it has done anything',
  async (kind) => {
    const folder = crib.project
    const runs = Array.from({ length: 24 }, async (_, n) => {
      const file = join(folder, `${kind}-${n}`)
      const afterMs = 1 + n
      const spec = crib.wrap(crib.shell(`sleep 0.7; echo > ${file}`), { write: [folder] })
      const ended = await runToEnd(crib.supervisor, spec, {
        maxBytes: 1_000,
        timeoutMs: kind === 'limit' ? afterMs : 20_000,
        signal: kind === 'cancel' ? AbortSignal.timeout(afterMs) : new AbortController().signal,
      }).then(
        () => 'ended',
        () => 'stopped',
      )
      expect(ended).toBe('stopped')
      return file
    })
    const files = await Promise.all(runs)
    await pause(1_000)
    expect(files.filter((file) => existsSync(file))).toEqual([])
  },
)

it('death by a signal is told as the exit code with the name of the signal, and may be retried', async () => {
  verifies('R43')
  const ended = await crib.run('kill -KILL $$')
  expect(ended).toMatchObject({ exitCode: 137, signal: null, diedOf: 'SIGKILL' })
  expect(describeExit({ code: ended.exitCode, diedOf: ended.diedOf })).toBe(
    'ended with exit code 137 (SIGKILL)',
  )
})

it.each([
  [137, null, false, 'ended with exit code 137'],
  [3, null, true, 'ended with exit code 3'],
  [200, null, true, 'ended with exit code 200'],
  [null, 'SIGTERM', false, 'was ended by SIGTERM'],
] as const)('exit %s %s, behind bubblewrap: %s, %s', (code, signal, isBehindBubblewrap, text) => {
  expect(describeExit(readExit(code, signal, isBehindBubblewrap))).toBe(text)
})
