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
/** Between parts that nothing joins. */
const apart = 14

/** Parts that nothing joins stand beside each other as long as there is room, and below each other then. */
export function layoutGraph(shape: GraphShape): Layout {
  const places: { [id: string]: Point } = {}
  const edges: Layout['edges'][number][] = shape.edges.map(() => null)
  let [x, y, rowHeight, width] = [0, 0, 0, 0]
  for (const { part, edgesAt } of partsOf(shape)) {
    const own = layoutPart(part)
    if (x > 0 && x + own.width > shape.room) {
      x = 0
      y += rowHeight + apart
      rowHeight = 0
    }
    const moved = (point: Point): Point => ({ x: point.x + x, y: point.y + y })
    for (const [id, point] of Object.entries(own.nodes)) places[id] = moved(point)
    own.edges.forEach((edge, index) => {
      if (edge) edges[edgesAt[index]!] = { points: edge.points.map(moved), label: moved(edge.label) }
    })
    x += own.width + apart
    rowHeight = Math.max(rowHeight, own.height)
    width = Math.max(width, x - apart)
  }
  return { width, height: y + rowHeight, nodes: places, edges }
}

interface Part {
  readonly part: GraphShape
  /** Which edges of the whole its edges are. */
  readonly edgesAt: readonly number[]
}

/** The connected parts of a graph, in the order of their first nodes. */
function partsOf({ nodes, edges, room }: GraphShape): Part[] {
  const leaders = new Map(nodes.map(({ id }) => [id, id]))
  const leaderOf = (id: string): string => {
    let leader = id
    while (leaders.get(leader) !== leader) leader = leaders.get(leader)!
    return leader
  }
  for (const { from, to } of edges)
    if (leaders.has(from) && leaders.has(to)) leaders.set(leaderOf(to), leaderOf(from))
  const members = new Map<string, GraphShape['nodes'][number][]>()
  for (const node of nodes) {
    const leader = leaderOf(node.id)
    members.set(leader, [...(members.get(leader) ?? []), node])
  }
  return [...members].map(([leader, own]) => {
    const edgesAt = edges.flatMap(({ from, to }, index) =>
      leaders.has(from) && leaders.has(to) && leaderOf(from) === leader ? [index] : [],
    )
    return { part: { nodes: own, edges: edgesAt.map((index) => edges[index]!), room }, edgesAt }
  })
}

/** From left to right; from top to bottom where that needs less of a width that is too small. */
function layoutPart(shape: GraphShape): Layout {
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
