import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { Deadline } from './deadline.ts'

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

it('calls back when its time has come, sooner ones first, whatever order they were made in', async () => {
  const seen: number[] = []
  await new Promise<void>((resolve) => {
    for (const ms of [60, 20, 40, 80])
      new Deadline(ms, () => {
        seen.push(ms)
        if (ms === 80) resolve()
      })
  })
  expect(seen).toEqual([20, 40, 60, 80])
})

it('is never early', async () => {
  for (const ms of [1, 5, 17]) {
    const started = performance.now()
    await new Promise<void>((resolve) => void new Deadline(ms, resolve))
    expect(performance.now() - started).toBeGreaterThanOrEqual(ms)
  }
})

it('that was dropped never calls back, however often it is dropped', async () => {
  let calls = 0
  const all = Array.from({ length: 5 }, () => new Deadline(10, () => calls++))
  for (const one of [all[4], all[0], all[2], all[2]]) one!.drop()
  await wait(50)
  expect(calls).toBe(2)
})

it('may drop others and make new ones while it calls back', async () => {
  const seen: string[] = []
  const victim: Deadline = new Deadline(11, () => seen.push('victim'))
  const over = new Promise<void>((resolve) => {
    new Deadline(10, () => {
      seen.push('first')
      victim.drop()
      new Deadline(5, () => {
        seen.push('new')
        resolve()
      })
    })
  })
  await wait(15)
  await over
  expect(seen).toEqual(['first', 'new'])
})

it('far away is no overflow', async () => {
  let isLate = false
  const far = [1e13, Number.MAX_SAFE_INTEGER].map((ms) => new Deadline(ms, () => (isLate = true)))
  await wait(20)
  for (const one of far) one.drop()
  expect(isLate).toBe(false)
})

const run = (body: string) => {
  const file = new URL('./deadline.ts', import.meta.url)
  const loader = new URL(
    '../../system/tools/rye/core/runtimes/node/bootstrap/typescript.mjs',
    import.meta.url,
  )
  const code = `import { Deadline } from '${file}';${body}`
  return execFileSync(process.execPath, ['--import', loader.href, '--input-type=module', '-e', code], {
    encoding: 'utf8',
    timeout: 20_000,
  })
}

it('keeps the program from ending while it is pending and not after', () => {
  expect(run(`new Deadline(30, () => console.log('late'))`)).toBe('late\n')
  expect(run(`new Deadline(60000, () => console.log('late')).drop()`)).toBe('')
  expect(run(`new Deadline(60000, () => {}).drop(); new Deadline(30, () => console.log('late'))`)).toBe(
    'late\n',
  )
})

it('that throws is an uncaught error, and others are called all the same', () => {
  const out = run(`process.on('uncaughtException', (error) => console.log(error.message))
    new Deadline(5, () => { throw new Error('thrown') })
    new Deadline(5, () => console.log('called'))`)
  expect(out.split('\n').sort()).toEqual(['', 'called', 'thrown'])
})
