// Places the nodes of a directed graph by dagre: what comes first stands left, or on top where the screen is narrow.
import { Graph, layout } from '@dagrejs/dagre'

export interface GraphShape {
  readonly nodes: readonly { readonly id: string }[]
  readonly edges: readonly { readonly from: string; readonly to: string; readonly label?: string }[]
  readonly direction: 'LR' | 'TB'
}

export interface Point {
  readonly x: number
  readonly y: number
}

export interface Layout {
  readonly width: number
  readonly height: number
  /** Upper left corners. */
  readonly nodes: { readonly [id: string]: Point }
  /** One for each edge; null for those that lead nowhere. */
  readonly edges: readonly ({ readonly points: readonly Point[]; readonly label: Point } | null)[]
}

export const nodeSize = { width: 160, height: 50 }
const margin = 4

export function layoutGraph({ nodes, edges, direction }: GraphShape): Layout {
  const graph = new Graph({ multigraph: true })
  graph.setGraph({ rankdir: direction, nodesep: 18, ranksep: 28, marginx: margin, marginy: margin })
  for (const { id } of nodes) graph.setNode(id, { ...nodeSize })
  edges.forEach(({ from, to, label }, index) => {
    if (from === to || !graph.hasNode(from) || !graph.hasNode(to)) return
    const width = label ? label.length * 6.5 + 8 : 0
    graph.setEdge(from, to, { width, height: label ? 16 : 0, labelpos: 'c' }, String(index))
  })
  layout(graph)
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number }
  return {
    width: Math.ceil(width),
    height: Math.ceil(height),
    nodes: Object.fromEntries(
      nodes.map(({ id }) => {
        const { x, y } = graph.node(id) as Point
        return [id, { x: x - nodeSize.width / 2, y: y - nodeSize.height / 2 }]
      }),
    ),
    edges: edges.map(({ from, to }, index) => {
      const edge = graph.edge(from, to, String(index)) as (Point & { points: Point[] }) | undefined
      return edge?.points ? { points: edge.points, label: { x: edge.x, y: edge.y } } : null
    }),
  }
}
