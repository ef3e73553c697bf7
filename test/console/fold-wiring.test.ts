// Many tools at one place of the wiring are one node, unless they have something to tell.
import { expect, it } from 'vitest'
import type { Wiring } from '../../console/src/api/types.ts'
import { foldWiring } from '../../console/src/pages/events/fold-wiring.ts'
import { verifies } from '../helpers/verifies.ts'

const tool = (n: number) => ({ id: `tool:${n}`, kind: 'tool' as const, name: `t${n}`, title: `t${n}` })
const schema = { id: 'schema:a', kind: 'schema' as const, name: 'a', title: 'a' }

function wiringOf(tools: number): Wiring {
  const all = Array.from({ length: tools }, (_, n) => tool(n))
  return {
    nodes: [schema, ...all],
    edges: all.map(({ id }) => ({ from: id, to: schema.id, kind: 'writes' as const })),
  }
}

it('folds tools that write and read the same', () => {
  verifies('V14')
  const { nodes, edges } = foldWiring(wiringOf(30))
  expect(nodes.map(({ id, tools }) => [id, tools])).toEqual([
    ['schema:a', undefined],
    ['tool:0', 30],
  ])
  expect(edges).toHaveLength(1)
})

it('shows a few one by one', () => {
  expect(foldWiring(wiringOf(4)).nodes).toHaveLength(5)
})

it('never hides a tool that ran, waits or failed', () => {
  verifies('V14')
  const wiring = wiringOf(10)
  const lively: Wiring = {
    nodes: wiring.nodes,
    edges: [
      ...wiring.edges,
      { from: 'schema:a', to: 'tool:7', kind: 'triggers', count: 3, failed: 1, lag: 0 },
    ],
  }
  const { nodes } = foldWiring(lively)
  expect(nodes.map(({ id, tools }) => [id, tools])).toContainEqual(['tool:7', undefined])
  expect(nodes.map(({ tools }) => tools)).toContain(9)
})
