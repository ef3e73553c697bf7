import { expect, it } from 'vitest'
import { ryePlanOf } from '../tool/plans/runtime-plans.ts'
import type { Tool } from '../tool/tool.ts'
import { type PackedTools, packTools, unpackTools } from './pack-tools.ts'

const link = (id: string) => ({ id, tier: 'system', kind: 'runtime', digest: 'd', trust: 'unchecked' })
const tool = (id: string, more: object): Tool => ({ id, name: id, params: {}, ...more }) as unknown as Tool
const anchor = { mode: 'auto', paths: [1, null] }
const tools = [
  tool('a', {
    runtime: { name: 'r', plan: { primitive: 'worker', first: 7, anchor, env: {}, last: null } },
    chain: [link('a'), link('python')],
  }),
  tool('b', {
    runtime: { name: 'r', plan: { primitive: 'worker', first: 'x', anchor: { ...anchor }, list: [2, 3] } },
    chain: [link('b'), link('python')],
  }),
  tool('c', {
    runtime: null,
    trust: { status: 'unsigned' },
    source: { file: '/some/where/of/c.py', digest: 'a'.repeat(64), line: 1, files: ['/some/where/of/c.py'] },
    details: { docstring: 'text', rye: { path: 'c.py', file: '/some/where/of/c.py', code: { imports: [] } } },
    returns: null,
    limits: { timeoutMs: 1 },
  }),
  tool('e', { trust: { status: 'unsigned' }, limits: {}, details: { other: { deep: [1] } } }),
  tool('d', { runtime: { name: 'r', plan: {} }, chain: [] }),
]
const kept = () => JSON.parse(JSON.stringify(packTools(tools))) as PackedTools

it('gives back the tools it was given, field by field in their order', () => {
  expect(JSON.stringify(unpackTools(kept()))).toBe(JSON.stringify(tools))
})

it('keeps what tools have in common once', () => {
  const [a, b] = unpackTools(kept())
  expect(ryePlanOf(a!)!.anchor).toBe(ryePlanOf(b!)!.anchor)
  expect(a!.chain![1]).toBe(b!.chain![1])
  const found = unpackTools(kept())
  expect(found[2]!.trust).toBe(found[3]!.trust)
  const texts = kept().shared.map((value) => JSON.stringify(value))
  expect(new Set(texts).size).toBe(texts.length)
  expect(texts).toContain('"/some/where/of/c.py"')
})

it('leaves the tools it packs as they are', () => {
  const before = JSON.stringify(tools)
  packTools(tools)
  expect(JSON.stringify(tools)).toBe(before)
})
