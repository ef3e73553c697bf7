import { afterEach, beforeEach, expect, it } from 'vitest'
import { Supervisor } from '../../workers/supervisor.ts'
import { Worker } from './worker.ts'
import { WorkerPool } from './worker-pool.ts'

let supervisor: Supervisor
let started = 0

beforeEach(() => {
  supervisor = new Supervisor()
  started = 0
})
afterEach(() => supervisor.close())

/** A worker that never answers is enough here: the pool only holds processes. */
async function start(): Promise<Worker> {
  started++
  const spec = { file: '/bin/sh', args: ['-c', 'read line <&3'], cwd: '/', env: { PATH: '/usr/bin:/bin' } }
  return new Worker(await supervisor.start(spec, { channel: true }), { layers: [], dimensions: {} }, 1_000)
}

const never = new AbortController()

it('gives the same worker again, per key', async () => {
  const pool = new WorkerPool()
  const first = await pool.take('a', start, never, false)
  pool.give('a', first, true)
  expect(await pool.take('a', start, never, false)).toBe(first)
  expect(await pool.take('b', start, never, false)).not.toBe(first)
  await pool.close()
})

it('ends a worker that must not serve again', async () => {
  const pool = new WorkerPool()
  const worker = await pool.take('a', start, never, false)
  pool.give('a', worker, false)
  await worker.child.exited
  expect(pool.size).toBe(0)
})

it('lets callers wait when all workers of a key are busy, and serves them in order', async () => {
  const pool = new WorkerPool()
  const busy: Worker[] = []
  const taking = Array.from({ length: 12 }, (_, n) =>
    pool.take('a', start, never, false).then((worker) => {
      busy.push(worker)
      return n
    }),
  )
  await expect.poll(() => busy.length).toBeGreaterThan(1)
  expect(started).toBeLessThanOrEqual(4)
  const order: number[] = []
  const done = Promise.all(taking.map((taken) => taken.then((n) => order.push(n))))
  while (order.length < 12) {
    const worker = busy.shift()
    if (worker) pool.give('a', worker, true)
    await new Promise(setImmediate)
  }
  await done
  expect(order).toEqual([...order].sort((a, b) => a - b))
  expect(started).toBeLessThanOrEqual(4)
  await pool.close()
})

it('does not let a nested call wait', async () => {
  const pool = new WorkerPool()
  const all = await Promise.all(Array.from({ length: 6 }, () => pool.take('a', start, never, true)))
  expect(new Set(all).size).toBe(6)
  await pool.close()
})

it('lets a waiting caller leave', async () => {
  const pool = new WorkerPool()
  const controller = new AbortController()
  const taking = Array.from({ length: 8 }, () => pool.take('a', start, controller, false))
  const settled = Promise.allSettled(taking)
  await expect.poll(() => started).toBeGreaterThan(1)
  controller.abort(new Error('left'))
  expect((await settled).filter((result) => result.status === 'rejected').length).toBeGreaterThan(0)
})

it('ends idle workers after a while, and any number of them when there are too many', async () => {
  const pool = new WorkerPool({ idleMs: 50 })
  for (let n = 0; n < 40; n++) pool.give(`k${n}`, await pool.take(`k${n}`, start, never, false), true)
  expect(pool.size).toBeLessThanOrEqual(32)
  await expect.poll(() => pool.size).toBe(0)
  await expect.poll(() => supervisor.running).toBe(0)
})

it('replaces a worker that died while idle', async () => {
  const pool = new WorkerPool()
  const first = await pool.take('a', start, never, false)
  pool.give('a', first, true)
  process.kill(first.child.pid, 'SIGKILL')
  await first.child.exited
  const second = await pool.take('a', start, never, false)
  expect(second).not.toBe(first)
  expect(second.isAlive).toBe(true)
  await pool.close()
})

it('starts nothing after it was closed', async () => {
  const pool = new WorkerPool()
  pool.give('a', await pool.take('a', start, never, false), true)
  await pool.close()
  expect(supervisor.running).toBe(0)
  await expect(pool.take('a', start, never, false)).rejects.toMatchObject({ code: 'CANCELLED' })
})
