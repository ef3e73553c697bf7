// Where the steps of a thread lie on its time axis, in percent.
import type { Thread } from '../../api/types.ts'

type Node = Thread['nodes'][number]

export interface AxisRow {
  readonly node: Node
  readonly depth: number
  readonly left: number
  readonly width: number
}

const leastWidth = 0.6

export function axisOf(nodes: readonly Node[]): { rows: AxisRow[]; startMs: number; endMs: number } {
  const begins = nodes.map(({ at }) => Date.parse(at))
  const startMs = Math.min(...begins)
  const endMs = Math.max(startMs + 1, ...nodes.map(({ ms }, index) => begins[index]! + (ms ?? 0)))
  const part = (ms: number) => (ms / (endMs - startMs)) * 100
  const depths = new Map<string, number>()
  const rows = nodes.map((node, index) => {
    const depth = node.parent === null ? 0 : (depths.get(node.parent) ?? -1) + 1
    depths.set(node.id, depth)
    const width = Math.max(leastWidth, part(node.ms ?? 0))
    return { node, depth, left: Math.min(100 - width, part(begins[index]! - startMs)), width }
  })
  return { rows, startMs, endMs }
}
