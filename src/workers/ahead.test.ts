import { afterEach, beforeEach, expect, it } from 'vitest'
import { Ahead, type AheadSettings } from './ahead.ts'
import { Supervisor } from './supervisor.ts'
import { Worker } from './worker.ts'

let supervisor: Supervisor
let started: Worker[]

beforeEach(() => {
  supervisor = new Supervisor()
  started = []
})
afterEach(() => supervisor.close())

const settings: AheadSettings = { perKey: 2, keys: 2, idleMs: 60_000 }

async function start(): Promise<Worker> {
  const spec = { file: '/bin/sh', args: ['-c', 'exec cat <&3'], cwd: '/', env: {} }
  const child = await supervisor.start(spec, { channel: true })
  const limits = { maxMessageBytes: 1_000, logBytes: 1_000, logLineBytes: 1_000 }
  const worker = new Worker({ child, enforcement: { layers: [], dimensions: {} }, ...limits })
  started.push(worker)
  return worker
}

async function use(ahead: Ahead<Worker>, key = 'a'): Promise<Worker> {
  const worker = await ahead.take(key, start)
  await worker.kill()
  ahead.prepare(key, start)
  return worker
}

it('starts nothing ahead for who asks once', async () => {
  const ahead = new Ahead<Worker>(settings)
  await use(ahead)
  expect(started).toHaveLength(1)
  await ahead.close()
})

it('has processes ready for who asked twice, each handed out once and with the same key only', async () => {
  const ahead = new Ahead<Worker>(settings)
  const used = [await use(ahead), await use(ahead)]
  await expect.poll(() => started.length).toBe(4)
  const [, , first, second] = started
  expect(await ahead.take('a', start)).toBe(first)
  expect(await ahead.take('a', start)).toBe(second)
  const other = await ahead.take('b', start)
  expect([...used, first, second]).not.toContain(other)
  expect(new Set(started).size).toBe(5)
  await ahead.close()
})

it('passes over one that ended while it waited', async () => {
  const ahead = new Ahead<Worker>(settings)
  await use(ahead)
  await use(ahead)
  await expect.poll(() => started.length).toBe(4)
  await started[2]!.kill()
  expect(await ahead.take('a', start)).toBe(started[3])
  await ahead.close()
})

it('tells why one cannot be started to who asks for it, and to nobody before', async () => {
  const ahead = new Ahead<Worker>(settings)
  const fails = () => Promise.reject(new Error('no process left'))
  await use(ahead)
  const worker = await ahead.take('a', start)
  ahead.prepare('a', fails)
  await worker.kill()
  await expect(ahead.take('a', fails)).rejects.toThrow('no process left')
  await ahead.close()
})

it('ends those of the key that was asked for the longest time ago, and all of them when it is closed', async () => {
  const ahead = new Ahead<Worker>(settings)
  for (const key of ['a', 'b', 'c']) {
    await use(ahead, key)
    await use(ahead, key)
  }
  await expect.poll(() => started.filter((worker) => !worker.isGone).length).toBe(4)
  await ahead.close()
  expect(started.filter((worker) => !worker.isGone)).toEqual([])
  expect(started).toHaveLength(12)
})

it('ends those that nobody asked for in time', async () => {
  const ahead = new Ahead<Worker>({ ...settings, idleMs: 100 })
  await use(ahead)
  await use(ahead)
  await expect.poll(() => started.length).toBe(4)
  await expect.poll(() => started.every((worker) => worker.isGone)).toBe(true)
  await ahead.close()
})
