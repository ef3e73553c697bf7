// Tools that stand at the same place of the wiring and have nothing to tell, as one node: hundreds of them are no picture.
import type { Wiring } from '../../api/types.ts'

type Node = Wiring['nodes'][number]
type Edge = Wiring['edges'][number]

export interface FoldedNode extends Node {
  /** How many tools it stands for; absent: itself. */
  readonly tools?: number
}

export interface FoldedWiring {
  readonly nodes: readonly FoldedNode[]
  readonly edges: readonly Edge[]
}

/** As many as are shown one by one. */
const mostAlike = 4

export function foldWiring({ nodes, edges }: Wiring): FoldedWiring {
  const edgesOf = new Map<string, Edge[]>(nodes.map(({ id }) => [id, []]))
  for (const edge of edges) {
    edgesOf.get(edge.from)?.push(edge)
    edgesOf.get(edge.to)?.push(edge)
  }
  const alike = new Map<string, Node[]>()
  for (const node of nodes) {
    const own = edgesOf.get(node.id)!
    if (node.kind !== 'tool' || own.some(hasNews)) continue
    const place = own.map(({ from, to, kind }) => `${kind} ${from === node.id ? `> ${to}` : `< ${from}`}`)
    const key = place.sort().join('\n')
    alike.set(key, [...(alike.get(key) ?? []), node])
  }
  const leaderOf = new Map<string, Node>()
  const counts = new Map<string, number>()
  for (const group of alike.values()) {
    if (group.length <= mostAlike) continue
    counts.set(group[0]!.id, group.length)
    for (const { id } of group.slice(1)) leaderOf.set(id, group[0]!)
  }
  return {
    nodes: nodes
      .filter(({ id }) => !leaderOf.has(id))
      .map((node) => ({ ...node, tools: counts.get(node.id) })),
    edges: edges.filter(({ from, to }) => !leaderOf.has(from) && !leaderOf.has(to)),
  }
}

/** It ran, waits or failed: that is what one looks for. */
function hasNews({ count, lag, lastError }: Edge): boolean {
  return (count ?? 0) > 0 || (lag ?? 0) > 0 || lastError !== undefined
}
