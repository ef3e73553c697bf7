// How a program behind the fence ends: when it is stopped before it began, and when it dies of a signal.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { engines, FencedCrib } from '../../test/helpers/fenced.ts'
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

/** Bubblewrap says of both an exit code and a signal the same; the launcher tells them apart. */
const told = {
  bubblewrap: [{ exitCode: 137, signal: null }, 'ended with exit code 137 (SIGKILL)'],
  launcher: [{ exitCode: null, signal: 'SIGKILL' }, 'was ended by SIGKILL'],
} as const

it.each(engines)(
  'death by a signal behind the %s is told by its name, and may be retried',
  async (engine) => {
    verifies('R43')
    const fenced = new FencedCrib({ engine })
    const ended = await fenced.run('kill -KILL $$')
    await fenced.close()
    const [exit, words] = told[engine]
    expect(ended).toMatchObject({ ...exit, diedOf: 'SIGKILL' })
    expect(describeExit({ code: ended.exitCode, diedOf: ended.diedOf })).toBe(words)
  },
)

it.each([
  [137, null, false, 'ended with exit code 137'],
  [3, null, true, 'ended with exit code 3'],
  [200, null, true, 'ended with exit code 200'],
  [null, 'SIGTERM', false, 'was ended by SIGTERM'],
] as const)('exit %s %s, behind bubblewrap: %s, %s', (code, signal, isBehindBubblewrap, text) => {
  expect(describeExit(readExit(code, signal, isBehindBubblewrap))).toBe(text)
})
