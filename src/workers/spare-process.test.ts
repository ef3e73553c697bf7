import type { ChildProcess } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { SpawnSpec } from '../sandbox/fence.ts'
import { SpareProcess } from './spare-process.ts'
import { spawnProcess, startProcess } from './start-process.ts'

let made: ChildProcess[]
let spare: SpareProcess

beforeEach(() => {
  made = []
  spare = new SpareProcess((spec, streams) => {
    const process = spawnProcess(spec, streams)
    made.push(process)
    return process
  })
})
afterEach(() => spare.close())

/** Waits for its orders on descriptor 5 and says them back. */
const spec = (orders: string, args = ['-c', 'cat <&5']): SpawnSpec => ({
  file: '/bin/sh',
  args,
  cwd: '/',
  env: {},
  handovers: [{ fd: 5, bytes: Buffer.from(orders) }],
  waits: true,
})

async function use(orders: string, given = spec(orders)) {
  const { process } = await startProcess(given, {}, spare)
  expect(await text(process.stdout!)).toBe(orders)
  return process
}

const exited = (process: ChildProcess) => expect.poll(() => process.exitCode ?? process.signalCode)

it('starts nothing ahead for who asks once', async () => {
  await use('one')
  expect(made).toHaveLength(1)
})

it('hands out what waits, once, with the orders of who asked', async () => {
  await use('one')
  await use('two')
  await expect.poll(() => made.length).toBe(3)
  expect(await use('three')).toBe(made[2])
  await expect.poll(() => made.length).toBe(4)
  expect(await use('four')).toBe(made[3])
})

const kind = (name: string) => ['-c', `cat <&5 # ${name}`]

it('keeps one for each kind of start, whatever is asked for between', async () => {
  for (const name of ['one', 'other', 'one', 'other']) await use(name, spec(name, kind(name)))
  await expect.poll(() => made.length).toBe(6)
  const there = [...made]
  for (const name of ['other', 'one']) expect(there).toContain(await use(name, spec(name, kind(name))))
})

it('gives what waits to nobody who asks for something else', async () => {
  await use('one')
  await use('two')
  await expect.poll(() => made.length).toBe(3)
  expect(await use('other', spec('other', kind('other')))).not.toBe(made[2])
  expect(await use('three')).toBe(made[2])
})

it('ends what waits for the kind that was asked for the longest time ago when there are too many', async () => {
  await use('one')
  await use('two')
  await expect.poll(() => made.length).toBe(3)
  for (const name of ['a', 'b', 'c', 'd']) await use(name, spec(name, kind(name)))
  await exited(made[2]!).toBe('SIGKILL')
})

it('passes over one that ended while it waited', async () => {
  await use('one')
  await use('two')
  await expect.poll(() => made.length).toBe(3)
  made[2]!.kill('SIGKILL')
  await exited(made[2]!).toBe('SIGKILL')
  expect(await use('three')).not.toBe(made[2])
})

it('ends what waits when it is closed, and starts no more', async () => {
  await use('one')
  await use('two')
  await expect.poll(() => made.length).toBe(3)
  spare.close()
  await exited(made[2]!).toBe('SIGKILL')
  await use('three')
  expect(made).toHaveLength(4)
})
