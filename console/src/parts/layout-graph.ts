// Places the nodes of a directed graph by dagre: what comes first stands left, or on top where there is no room beside.
import { Graph, layout } from '@dagrejs/dagre'

export interface GraphShape {
  readonly nodes: readonly { readonly id: string; readonly width: number }[]
  readonly edges: readonly { readonly from: string; readonly to: string; readonly label?: string }[]
  /** Pixels that the drawing may be wide. */
  readonly room: number
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

export const nodeHeight = 50
const margin = 4

/** From left to right; from top to bottom where that needs less of a width that is too small. */
export function layoutGraph(shape: GraphShape): Layout {
  const beside = layoutIn(shape, 'LR')
  if (beside.width <= shape.room) return beside
  const below = layoutIn(shape, 'TB')
  return below.width < beside.width ? below : beside
}

function layoutIn({ nodes, edges }: GraphShape, rankdir: 'LR' | 'TB'): Layout {
  const graph = new Graph({ multigraph: true })
  graph.setGraph({ rankdir, nodesep: 18, ranksep: 28, marginx: margin, marginy: margin })
  for (const { id, width } of nodes) graph.setNode(id, { width, height: nodeHeight })
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
      nodes.map(({ id, width: own }) => {
        const { x, y } = graph.node(id) as Point
        return [id, { x: x - own / 2, y: y - nodeHeight / 2 }]
      }),
    ),
    edges: edges.map(({ from, to }, index) => {
      const edge = graph.edge(from, to, String(index)) as (Point & { points: Point[] }) | undefined
      return edge?.points ? { points: edge.points, label: { x: edge.x, y: edge.y } } : null
    }),
  }
}
