import { expect, it, vi } from 'vitest'
import type { LateRuntime, Runtime, RuntimeEnv } from '../runtimes/runtime.ts'
import { Runtimes } from './runtimes.ts'

const env = {} as RuntimeEnv
const plain = (name: string): Runtime => ({ name, run: () => name })

function runtimesWith(...known: (Runtime | LateRuntime)[]): Runtimes {
  return new Runtimes(() => env, new Map(), known)
}

it('gives a runtime by its name', () => {
  const one = plain('one')
  expect(runtimesWith(plain('other'), one).of('one')).toBe(one)
})

it('opens a late one for the first call, once, with what the crib gives', () => {
  const opened = plain('late')
  const open = vi.fn(() => opened)
  const runtimes = runtimesWith({ name: 'late', open })
  expect(open).not.toHaveBeenCalled()
  expect([runtimes.of('late'), runtimes.of('late')]).toEqual([opened, opened])
  expect(open.mock.calls).toEqual([[env]])
})

it('gives a promise only while it is opened', async () => {
  const opened = plain('late')
  const runtimes = runtimesWith({ name: 'late', open: async () => opened })
  const first = runtimes.of('late')
  expect(first).toBeInstanceOf(Promise)
  expect(runtimes.of('late')).toBe(first)
  await first
  expect(runtimes.of('late')).toBe(opened)
})

it('tries again after one that could not be opened', async () => {
  const opened = plain('late')
  const open = vi.fn().mockRejectedValueOnce(new Error('not now')).mockResolvedValueOnce(opened)
  const runtimes = runtimesWith({ name: 'late', open })
  await expect(runtimes.of('late')).rejects.toThrow('not now')
  expect(await runtimes.of('late')).toBe(opened)
})

it('names those that are known for one that is not', () => {
  expect(() => runtimesWith(plain('a'), plain('b')).of('c')).toThrow(
    expect.objectContaining({ code: 'RUNTIME_MISSING', details: { known: ['a', 'b'] } }),
  )
})

it('runs functions of the program itself, those added later too', async () => {
  const functions = new Map<string, () => unknown>([['f', () => 1]])
  const runtime = new Runtimes(() => env, functions, []).of('function') as Runtime
  const tool = (id: string) => ({ id, runtime: { name: 'function', plan: { function: id } } })
  expect(runtime.run({ tool: tool('f') } as never)).toBe(1)
  functions.set('g', () => 2)
  expect(runtime.run({ tool: tool('g') } as never)).toBe(2)
  await expect(runtime.run({ tool: tool('h') } as never)).rejects.toMatchObject({ code: 'RUNTIME_MISSING' })
})

it('closes those that were opened, and waits for them', async () => {
  const closed: string[] = []
  const closing = (name: string): Runtime => ({
    ...plain(name),
    close: async () => void closed.push(name),
  })
  const runtimes = runtimesWith(
    { name: 'a', open: () => closing('a') },
    { name: 'b', open: async () => closing('b') },
    { name: 'never', open: () => closing('never') },
  )
  runtimes.of('a')
  runtimes.of('b')
  await runtimes.close()
  expect(closed.sort()).toEqual(['a', 'b'])
})
