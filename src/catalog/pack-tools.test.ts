import { expect, it } from 'vitest'
import type { Tool } from '../tool/tool.ts'
import { type PackedTools, packTools, unpackTools } from './pack-tools.ts'

const link = (id: string) => ({ id, tier: 'system', kind: 'runtime', digest: 'd', trust: 'unchecked' })
const tool = (id: string, more: object): Tool => ({ id, name: id, params: {}, ...more }) as unknown as Tool
const anchor = { mode: 'auto', paths: [1, null] }
const tools = [
  tool('a', {
    runtime: { name: 'r', plan: { first: 7, anchor, env: {}, last: null } },
    chain: [link('a'), link('python')],
  }),
  tool('b', {
    runtime: { name: 'r', plan: { first: 'x', anchor: { ...anchor }, list: [2, 3] } },
    chain: [link('b'), link('python')],
  }),
  tool('c', { runtime: null }),
  tool('d', { runtime: { name: 'r', plan: {} }, chain: [] }),
]
const kept = () => JSON.parse(JSON.stringify(packTools(tools))) as PackedTools

it('gives back the tools it was given, field by field in their order', () => {
  expect(JSON.stringify(unpackTools(kept()))).toBe(JSON.stringify(tools))
})

it('keeps what tools have in common once', () => {
  const [a, b] = unpackTools(kept())
  expect(a!.runtime!.plan['anchor']).toBe(b!.runtime!.plan['anchor'])
  expect(a!.chain![1]).toBe(b!.chain![1])
  expect(kept().shared).toHaveLength(4)
})

it('leaves the tools it packs as they are', () => {
  const before = JSON.stringify(tools)
  packTools(tools)
  expect(JSON.stringify(tools)).toBe(before)
})
