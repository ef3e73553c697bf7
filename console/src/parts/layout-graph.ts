// Places the nodes of a directed graph in columns: what comes first stands left. Circles are cut where they close.

export interface GraphNode {
  readonly id: string
  readonly label: string
  readonly sub?: string
  readonly tone?: string
  readonly href?: string
}

export interface GraphEdge {
  readonly from: string
  readonly to: string
  readonly label?: string
}

export interface PlacedNode extends GraphNode {
  readonly column: number
  readonly row: number
}

export interface Layout {
  readonly nodes: readonly PlacedNode[]
  readonly edges: readonly GraphEdge[]
  readonly columns: number
  readonly rows: number
}

export function layoutGraph(nodes: readonly GraphNode[], edges: readonly GraphEdge[]): Layout {
  const known = new Set(nodes.map((node) => node.id))
  const drawn = edges.filter((edge) => known.has(edge.from) && known.has(edge.to) && edge.from !== edge.to)
  const into = new Map<string, string[]>()
  for (const { from, to } of drawn) into.set(to, [...(into.get(to) ?? []), from])
  const columns = new Map<string, number>()
  const columnOf = (id: string, path: ReadonlySet<string>): number => {
    const done = columns.get(id)
    if (done !== undefined) return done
    const before = (into.get(id) ?? []).filter((from) => !path.has(from))
    const inner = new Set(path).add(id)
    const column = before.length === 0 ? 0 : 1 + Math.max(...before.map((from) => columnOf(from, inner)))
    columns.set(id, column)
    return column
  }
  const rows = new Map<number, number>()
  const placed = nodes.map((node) => {
    const column = columnOf(node.id, new Set())
    const row = rows.get(column) ?? 0
    rows.set(column, row + 1)
    return { ...node, column, row }
  })
  return {
    nodes: placed,
    edges: drawn,
    columns: Math.max(0, ...columns.values()) + 1,
    rows: Math.max(1, ...rows.values()),
  }
}
