import { afterEach, beforeEach, expect, it } from 'vitest'
import type { CallListener } from './call-listener.ts'
import { type PoolSettings, WorkerPool } from './pool.ts'
import type { CallEnd } from './protocol.ts'
import { Supervisor } from './supervisor.ts'
import { Worker } from './worker.ts'

let supervisor: Supervisor
let started = 0

beforeEach(() => {
  supervisor = new Supervisor()
  started = 0
})
afterEach(() => supervisor.close())

const settings: PoolSettings = {
  workersPerKey: 4,
  startsAtOnce: 4,
  callsPerWorker: 1_000,
  idleMs: 60_000,
  maxWorkers: 32,
}

/** Answers every call with its own process, and pings; `calls`: as many as it takes side by side. */
const program = (calls: number, after: string) => `
import json, os, sys, threading
out = os.fdopen(3, 'w')
def say(value): out.write(json.dumps(value) + '\\n'); out.flush()
say({'t': 'ready', 'calls': ${calls}})
for line in os.fdopen(os.dup(3)):
    message = json.loads(line)
    if message['t'] == 'ping': say({'t': 'pong', 'n': message['n']})
    if message['t'] == 'call':
        say({'t': 'result', 'id': message['id'], 'value': os.getpid()})
        ${after}
`

async function start(calls = 1, after = 'pass'): Promise<Worker> {
  started++
  const child = await supervisor.start(
    {
      file: '/usr/bin/python3',
      args: ['-c', program(calls, after)],
      cwd: '/',
      env: { PATH: '/usr/bin:/bin' },
    },
    { channel: true },
  )
  const enforcement = { layers: [], dimensions: {} }
  return new Worker({
    child,
    enforcement,
    maxMessageBytes: 10_000,
    logBytes: 10_000,
    logLineBytes: 1_000,
  })
}

function call(worker: Worker): Promise<CallEnd> {
  return new Promise((resolve, reject) => {
    const listener: CallListener = {
      line: () => {},
      progress: () => {},
      ask: async () => ({ ok: true }),
      waits: () => false,
      done: resolve,
      stray: reject,
      lost: reject,
    }
    worker.call((id) => JSON.stringify({ t: 'call', id }), listener)
  })
}

const never = { signal: new AbortController().signal }
const key = (name: string) => ({ key: name })

it('gives the same worker again, per key', async () => {
  const pool = new WorkerPool(settings)
  const first = await pool.take(key('a'), start, never)
  await call(first)
  expect(await pool.take(key('a'), start, never)).toBe(first)
  expect(await pool.take(key('b'), start, never)).not.toBe(first)
  await pool.close()
})

it('lets callers wait when all workers of a key are busy, and serves them in order', async () => {
  const pool = new WorkerPool(settings)
  const order: number[] = []
  await Promise.all(
    Array.from({ length: 40 }, async (_, n) => {
      const worker = await pool.take(key('a'), start, never)
      order.push(n)
      await call(worker)
    }),
  )
  expect(started).toBeLessThanOrEqual(4)
  expect(order.slice(4)).toEqual([...order.slice(4)].sort((a, b) => a - b))
  await pool.close()
})

it('puts calls side by side into one worker where its program takes several', async () => {
  const pool = new WorkerPool({ ...settings, startsAtOnce: 1 })
  const several = () => start(16)
  await call(await pool.take(key('a'), several, never))
  const workers = await Promise.all(Array.from({ length: 8 }, () => pool.take(key('a'), several, never)))
  expect(new Set(workers).size).toBe(1)
  await pool.close()
})

it('does not let a nested call wait', async () => {
  const pool = new WorkerPool(settings)
  const nested = { ...never, isNested: true }
  const all = await Promise.all(Array.from({ length: 6 }, () => pool.take(key('a'), start, nested)))
  expect(new Set(all).size).toBe(6)
  await pool.close()
})

it('lets a waiting caller leave', async () => {
  const pool = new WorkerPool(settings)
  const controller = new AbortController()
  const taking = Array.from({ length: 8 }, () => pool.take(key('a'), start, controller))
  const settled = Promise.allSettled(taking)
  await expect.poll(() => started).toBeGreaterThan(1)
  controller.abort(new Error('left'))
  expect((await settled).filter((result) => result.status === 'rejected').length).toBeGreaterThan(0)
  await pool.close()
})

it('ends idle workers after a while, and any number of them when there are too many', async () => {
  const pool = new WorkerPool({ ...settings, idleMs: 200, maxWorkers: 3 })
  for (let n = 0; n < 6; n++) await call(await pool.take(key(`k${n}`), start, never))
  await expect.poll(() => pool.size).toBeLessThanOrEqual(3)
  await expect.poll(() => pool.size, { timeout: 5_000 }).toBe(0)
  await expect.poll(() => supervisor.running).toBe(0)
})

it('retires a worker that served its number of calls, and has its successor ready before', async () => {
  const pool = new WorkerPool({ ...settings, callsPerWorker: 20 })
  const pids = new Set<unknown>()
  for (let n = 0; n < 60; n++) {
    const end = await call(await pool.take(key('a'), start, never))
    if (end.t === 'result') pids.add(end.value)
  }
  expect(pids.size).toBeGreaterThan(1)
  expect(pids.size).toBeLessThan(8)
  await pool.close()
})

it('ends a worker that works on without a call', async () => {
  const pool = new WorkerPool(settings)
  const spin = 'threading.Thread(target=lambda: any(iter(int, 1)), daemon=True).start()'
  await call(await pool.take(key('a'), () => start(1, spin), never))
  await expect.poll(() => supervisor.running, { timeout: 15_000 }).toBe(0)
  await pool.close()
}, 20_000)

it('ends a worker that holds too much memory after its call', async () => {
  const pool = new WorkerPool(settings)
  const worker = await pool.take(key('a'), start, never)
  worker.roomyBytes = 1
  await call(worker)
  await expect.poll(() => supervisor.running, { timeout: 5_000 }).toBe(0)
  await pool.close()
})

it('replaces the workers of a family when its key changes', async () => {
  const pool = new WorkerPool(settings)
  await call(await pool.take({ key: 'v1', family: 'f' }, start, never))
  await call(await pool.take({ key: 'v2', family: 'f' }, start, never))
  await expect.poll(() => pool.size).toBe(1)
  await pool.close()
})

it('replaces a worker that died while idle', async () => {
  const pool = new WorkerPool(settings)
  const first = await pool.take(key('a'), start, never)
  await call(first)
  process.kill(first.child.pid, 'SIGKILL')
  await first.ended
  const second = await pool.take(key('a'), start, never)
  expect(second).not.toBe(first)
  await pool.close()
})

it('starts nothing after it was closed', async () => {
  const pool = new WorkerPool(settings)
  await call(await pool.take(key('a'), start, never))
  await pool.close()
  expect(supervisor.running).toBe(0)
  expect(() => pool.take(key('a'), start, never)).toThrow('closing')
})
