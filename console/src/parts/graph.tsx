// A directed graph, drawn, as wide as there is room. Nodes that lead somewhere are links; a text for screen readers
// tells the same.
import { useId } from 'preact/hooks'
import { say } from '../words/say.ts'
import { nodeSize, type Point } from './layout-graph.ts'
import { Loading } from './loading.tsx'
import { useLayout } from './use-layout.ts'

export interface GraphNode {
  readonly id: string
  readonly label: string
  readonly sub?: string
  readonly tone?: string
  readonly href?: string
  readonly isChosen?: boolean
}

export interface GraphEdge {
  readonly from: string
  readonly to: string
  readonly label?: string
  readonly tone?: 'bad' | 'warn'
  /** The whole story, on hover and for screen readers. */
  readonly title?: string
}

const mostLabel = 21
const mostSub = 26
/** Smaller than this nobody reads; then it scrolls. */
const leastScale = 0.6
const narrowPx = 700

interface GraphProps {
  readonly label: string
  readonly nodes: readonly GraphNode[]
  readonly edges: readonly GraphEdge[]
}

export function Graph({ label, nodes, edges }: GraphProps) {
  const direction = window.innerWidth < narrowPx ? ('TB' as const) : ('LR' as const)
  const done = useLayout({ nodes, edges, direction })
  const id = useId()
  if (!done) return <Loading what={label} />
  const { shape, layout } = done
  const byId = new Map(shape.nodes.map((node) => [node.id, node]))
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <div class="scroll-x" tabIndex={0} role="region" aria-label={label}>
      <svg
        class="graph"
        viewBox={`0 0 ${layout.width} ${layout.height}`}
        style={{
          width: '100%',
          maxWidth: `${layout.width}px`,
          minWidth: `${Math.round(layout.width * leastScale)}px`,
        }}
        role="group"
        aria-label={label}
        aria-describedby={`${id}-words`}
      >
        {shape.edges.map((edge, index) => {
          const placed = layout.edges[index]
          return placed && <Edge key={index} edge={edge} {...placed} />
        })}
        {shape.nodes.map((node) => (
          <Node key={node.id} node={node} at={layout.nodes[node.id]!} />
        ))}
      </svg>
      <p class="unseen" id={`${id}-words`}>
        {shape.edges
          .filter(({ from, to }) => byId.has(from) && byId.has(to))
          .map(
            ({ from, to, label: words, title }) =>
              `${byId.get(from)!.label} ${title ?? words ?? say('before')} ${byId.get(to)!.label}`,
          )
          .join('; ')}
      </p>
    </div>
  )
}

function Node({ node, at }: { node: GraphNode; at: Point }) {
  const isCut = node.label.length > mostLabel || (node.sub ?? '').length > mostSub
  const picture = (
    <g
      class="node"
      data-tone={node.tone}
      data-chosen={node.isChosen || undefined}
      transform={`translate(${at.x} ${at.y})`}
    >
      {isCut && <title>{`${node.label}\n${node.sub ?? ''}`}</title>}
      <rect width={nodeSize.width} height={nodeSize.height} rx="6" />
      <text x="10" y="21">
        {cut(node.label, mostLabel)}
      </text>
      <text x="10" y="38" class="sub">
        {cut(node.sub ?? '', mostSub)}
      </text>
    </g>
  )
  return node.href ? <a href={node.href}>{picture}</a> : picture
}

interface EdgeProps {
  readonly edge: GraphEdge
  readonly points: readonly Point[]
  readonly label: Point
}

function Edge({ edge, points, label }: EdgeProps) {
  const end = points.at(-1)!
  const before = points.at(-2) ?? end
  const turn = (Math.atan2(end.y - before.y, end.x - before.x) * 180) / Math.PI
  return (
    <g data-tone={edge.tone}>
      {edge.title && <title>{edge.title}</title>}
      <path class="edge" d={smooth(points)} />
      <path class="arrow" transform={`translate(${end.x} ${end.y}) rotate(${turn})`} d="M0 0l-8 -4.500v9z" />
      {edge.label && (
        <text class="sub edge-label" x={label.x} y={label.y + 4} text-anchor="middle">
          {edge.label}
        </text>
      )}
    </g>
  )
}

/** Through the middles between the points, which are its bends. */
function smooth(points: readonly Point[]): string {
  const [first, ...rest] = points
  let path = `M${first!.x} ${first!.y}`
  rest.forEach((point, index) => {
    const after = rest[index + 1]
    path += after
      ? `Q${point.x} ${point.y} ${(point.x + after.x) / 2} ${(point.y + after.y) / 2}`
      : `L${point.x} ${point.y}`
  })
  return path
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`
}
