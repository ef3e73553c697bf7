// The layout of a graph, made by a worker; the one before stays until the new one is there.
import { useEffect, useState } from 'preact/hooks'
import type { GraphShape, Layout } from './layout-graph.ts'

let worker: Worker | undefined
let next = 1
const waiting = new Map<number, (layout: Layout) => void>()

function ask(shape: GraphShape): Promise<Layout> {
  if (!worker) {
    worker = new Worker(new URL('./layout-worker.ts', import.meta.url), { type: 'module' })
    worker.addEventListener('message', ({ data }: MessageEvent<{ id: number; layout: Layout }>) => {
      waiting.get(data.id)?.(data.layout)
      waiting.delete(data.id)
    })
  }
  const id = next++
  worker.postMessage({ id, shape })
  return new Promise((resolve) => waiting.set(id, resolve))
}

/** With the shape it is of: what is drawn must not run ahead of its places. */
export function useLayout<Shape extends GraphShape>(shape: Shape): { shape: Shape; layout: Layout } | null {
  const [done, setDone] = useState<{ shape: Shape; layout: Layout } | null>(null)
  const { nodes, edges, room } = shape
  // Only what places depend on: another label of a node moves nothing.
  const key = JSON.stringify([
    room,
    nodes.map(({ id, width }) => [id, width]),
    edges.map(({ from, to, label }) => [from, to, label?.length]),
  ])
  useEffect(() => {
    if (room === 0) return
    let isWanted = true
    const bare = {
      room,
      nodes: nodes.map(({ id, width }) => ({ id, width })),
      edges: edges.map(({ from, to, label = '' }) => ({ from, to, label })),
    }
    void ask(bare).then((layout) => {
      if (isWanted) setDone({ shape, layout })
    })
    return () => {
      isWanted = false
    }
  }, [key])
  return done && { shape: keyMatches(done, shape) ? shape : done.shape, layout: done.layout }
}

function keyMatches({ layout }: { layout: Layout }, { nodes, edges }: GraphShape): boolean {
  return layout.edges.length === edges.length && nodes.every(({ id }) => layout.nodes[id] !== undefined)
}
