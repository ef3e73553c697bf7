// A directed graph, drawn. Nodes that lead somewhere are links; a list for screen readers tells the same.
import { useId } from 'preact/hooks'
import { type GraphEdge, type GraphNode, layoutGraph, type PlacedNode } from './layout-graph.ts'

const width = 190
const height = 50
const gapX = 70
const gapY = 18
const mostLabel = 26
const mostSub = 32

interface GraphProps {
  readonly label: string
  readonly nodes: readonly GraphNode[]
  readonly edges: readonly GraphEdge[]
}

export function Graph({ label, nodes, edges }: GraphProps) {
  const { nodes: placed, edges: drawn, columns, rows } = layoutGraph(nodes, edges)
  const byId = new Map(placed.map((node) => [node.id, node]))
  const total = { x: columns * (width + gapX) - gapX + 4, y: rows * (height + gapY) - gapY + 4 }
  const id = useId()
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <div class="scroll-x" tabIndex={0} role="region" aria-label={label}>
      <svg
        class="graph"
        width={total.x}
        height={total.y}
        viewBox={`-2 -2 ${total.x} ${total.y}`}
        role="group"
        aria-label={label}
        aria-describedby={`${id}-words`}
      >
        {drawn.map((edge) => (
          <Edge
            key={`${edge.from} ${edge.to} ${edge.label}`}
            edge={edge}
            from={byId.get(edge.from)!}
            to={byId.get(edge.to)!}
          />
        ))}
        {placed.map((node) => (
          <Node key={node.id} node={node} />
        ))}
      </svg>
      <p class="unseen" id={`${id}-words`}>
        {drawn
          .map(
            (edge) => `${byId.get(edge.from)!.label} ${edge.label ?? 'before'} ${byId.get(edge.to)!.label}`,
          )
          .join('; ')}
      </p>
    </div>
  )
}

function Node({ node }: { node: PlacedNode }) {
  const isCut = node.label.length > mostLabel || (node.sub ?? '').length > mostSub
  const picture = (
    <g
      class="node"
      data-tone={node.tone}
      transform={`translate(${node.column * (width + gapX)} ${node.row * (height + gapY)})`}
    >
      {isCut && <title>{`${node.label}\n${node.sub ?? ''}`}</title>}
      <rect width={width} height={height} rx="8" />
      <text x="10" y="21" font-weight="650">
        {cut(node.label, mostLabel)}
      </text>
      <text x="10" y="38" class="sub">
        {cut(node.sub ?? '', mostSub)}
      </text>
    </g>
  )
  return node.href ? <a href={node.href}>{picture}</a> : picture
}

function Edge({ edge, from, to }: { edge: GraphEdge; from: PlacedNode; to: PlacedNode }) {
  const x1 = from.column * (width + gapX) + width
  const y1 = from.row * (height + gapY) + height / 2
  const x2 = to.column * (width + gapX)
  const y2 = to.row * (height + gapY) + height / 2
  const bend = Math.max(30, Math.abs(x2 - x1) / 2)
  return (
    <g>
      <path class="edge" d={`M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2 - 7} ${y2}`} />
      <path class="arrow" d={`M${x2} ${y2}l-8 -4.500v9z`} />
      {edge.label && (
        <text class="sub" x={(x1 + x2) / 2} y={(y1 + y2) / 2 - 5} text-anchor="middle">
          {edge.label}
        </text>
      )}
    </g>
  )
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`
}
