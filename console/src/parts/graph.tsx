// A directed graph, drawn, as wide as there is room. Nodes that lead somewhere are links; a text for screen readers
// tells the same.
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { say } from '../words/say.ts'
import { nodeHeight, type Point } from './layout-graph.ts'
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

const mostLabel = 34
const mostSub = 40
/** Smaller than this nobody reads; then it scrolls. */
const leastScale = 0.9
const leastWidth = 120

/** As wide as its words, which are cut only where they are very long. */
function widthOf({ label, sub = '' }: GraphNode): number {
  const words = Math.max(Math.min(label.length, mostLabel) * 7, Math.min(sub.length, mostSub) * 6.2)
  return Math.max(leastWidth, Math.round(words) + 20)
}

interface GraphProps {
  readonly label: string
  readonly nodes: readonly GraphNode[]
  readonly edges: readonly GraphEdge[]
}

export function Graph({ label, nodes, edges }: GraphProps) {
  const box = useRef<HTMLDivElement>(null)
  const [room, setRoom] = useState(0)
  useLayoutEffect(() => setRoom(box.current?.clientWidth ?? 0), [])
  const sized = nodes.map((node) => ({ ...node, width: widthOf(node) }))
  const done = useLayout({ nodes: sized, edges, room: Math.round(room / leastScale) })
  const id = useId()
  if (!done)
    return (
      <div ref={box}>
        <Loading what={label} />
      </div>
    )
  const { shape, layout } = done
  const byId = new Map(shape.nodes.map((node) => [node.id, node]))
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <div class="scroll-x" tabIndex={0} role="region" aria-label={label} ref={box}>
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

function Node({ node, at }: { node: GraphNode & { readonly width: number }; at: Point }) {
  const isCut = node.label.length > mostLabel || (node.sub ?? '').length > mostSub
  const picture = (
    <g
      class="node"
      data-tone={node.tone}
      data-chosen={node.isChosen || undefined}
      transform={`translate(${at.x} ${at.y})`}
    >
      {isCut && <title>{`${node.label}\n${node.sub ?? ''}`}</title>}
      <rect width={node.width} height={nodeHeight} rx="6" />
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
