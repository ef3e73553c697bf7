// Where the nodes of a graph are placed: parts that nothing joins share the room and never lie over each other.
import { expect, it } from 'vitest'
import { type GraphShape, layoutGraph, nodeHeight } from '../../console/src/parts/layout-graph.ts'
import { verifies } from '../helpers/verifies.ts'

const width = 120

function shapeOf(chains: readonly (readonly string[])[], room: number): GraphShape {
  return {
    nodes: chains.flat().map((id) => ({ id, width })),
    edges: chains.flatMap((chain) =>
      chain.slice(1).map((to, index) => ({ from: chain[index]!, to, label: 'writes' })),
    ),
    room,
  }
}

const chains = [['a', 'b'], ['c', 'd'], ['e'], ['f', 'g', 'h']]

it.each([360, 800, 2_000])('fits parts into %i pixels, none over another', (room) => {
  verifies('V20', 'V22')
  const { nodes, edges, ...size } = layoutGraph(shapeOf(chains, room))
  expect(size.width).toBeLessThanOrEqual(room)
  const places = Object.values(nodes)
  expect(places).toHaveLength(8)
  for (const [index, one] of places.entries()) {
    expect(one.y + nodeHeight).toBeLessThanOrEqual(size.height)
    for (const other of places.slice(index + 1))
      expect(Math.abs(one.x - other.x) >= width || Math.abs(one.y - other.y) >= nodeHeight).toBe(true)
  }
  expect(edges).toHaveLength(4)
  for (const edge of edges) expect(edge!.points.every(({ x }) => x >= 0 && x <= size.width)).toBe(true)
})

it('goes from top to bottom where beside each other is too wide', () => {
  const { nodes } = layoutGraph(shapeOf([['a', 'b', 'c']], 360))
  expect(nodes['a']!.y).toBeLessThan(nodes['b']!.y)
})

it('draws no edge that leads nowhere', () => {
  const shape = { nodes: [{ id: 'a', width }], edges: [{ from: 'a', to: 'gone' }], room: 400 }
  expect(layoutGraph(shape).edges).toEqual([null])
})
