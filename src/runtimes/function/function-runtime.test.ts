import { expect, it } from 'vitest'
import { makeTool } from '../../tool/tool.ts'
import type { Attempt, RuntimeEnv } from '../runtime.ts'
import { functionRuntime, type ToolFunction } from './function-runtime.ts'

function attemptOf(id: string, params: unknown): Attempt {
  const tool = makeTool({
    id,
    format: 'builtin',
    tier: 'system',
    source: { file: null, digest: '' },
    runtime: { name: 'function', plan: { function: id } },
  })
  return { tool, params } as Attempt
}

const functions = new Map<string, ToolFunction>()
const runtime = functionRuntime(functions)({} as RuntimeEnv)

it('calls a function that was registered after the runtime was made', async () => {
  functions.set('add', (params) => (params as { a: number }).a + 1)
  expect(await runtime.run(attemptOf('add', { a: 1 }))).toBe(2)
})

it('turns a throw into a rejection', async () => {
  functions.set('bad', () => {
    throw new Error('no')
  })
  await expect(runtime.run(attemptOf('bad', {}))).rejects.toThrow('no')
})

it('says which function is missing', async () => {
  await expect(runtime.run(attemptOf('gone', {}))).rejects.toMatchObject({
    code: 'RUNTIME_MISSING',
    message: expect.stringContaining('"gone"'),
  })
})
