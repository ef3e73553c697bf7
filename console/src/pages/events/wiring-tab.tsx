// Which events set which tools going and what those write, as one graph with figures on its edges.
import type { Wiring } from '../../api/types.ts'
import { Empty } from '../../parts/empty.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Graph } from '../../parts/graph.tsx'
import { Loading } from '../../parts/loading.tsx'
import { localTime } from '../../parts/time.tsx'
import { useQuery } from '../../state/query.ts'
import { linkTo, route, setQuery } from '../../state/route.ts'
import { count, say, sayMany } from '../../words/say.ts'
import { type FoldedWiring, foldWiring } from './fold-wiring.ts'

type Edge = Wiring['edges'][number]

export function WiringTab() {
  const { data, error, reload } = useQuery<Wiring>('/api/wiring', ['runs', 'catalog', 'events'])
  if (error) return <Failure error={error} onRetry={reload} />
  if (!data) return <Loading what={say('the wiring')} />
  if (data.nodes.length === 0)
    return (
      <Empty title={say('Nothing reacts to events yet')} icon="crumbs">
        <p>{say('Tools with subscriptions and schedules are drawn here.')}</p>
      </Empty>
    )
  const linkOf = {
    tool: (name: string) => linkTo('tools', name),
    schedule: (name: string) => linkTo('events', name),
  }
  const isWhole = route.value.query.get('all') === '1'
  const wiring: FoldedWiring = isWhole ? data : foldWiring(data)
  const graph = (
    <Graph
      label={say('Wiring')}
      nodes={wiring.nodes.map(({ id, kind, name, title, tools }) => ({
        id,
        label: tools === undefined ? title : sayMany(tools, '{n} tool', '{n} tools'),
        sub: tools === undefined ? say(kind) : say('{name} and alike', { name: title }),
        tone: toneOf(id, kind, data.edges),
        href:
          tools !== undefined
            ? linkTo('events', '', { tab: 'wiring', all: '1' })
            : kind === 'schema'
              ? linkTo('events', '', { schema: name })
              : linkOf[kind](name),
      }))}
      edges={wiring.edges.map((edge) => ({
        from: edge.from,
        to: edge.to,
        label: labelOf(edge),
        ...((edge.failed ?? 0) > 0 ? { tone: 'bad' as const } : edge.lag ? { tone: 'warn' as const } : {}),
        ...(edge.lastError
          ? { title: say('{code}, {ago}', { code: edge.lastError.code, ago: localTime(edge.lastError.at) }) }
          : {}),
      }))}
    />
  )
  if (!isWhole) return graph
  return (
    <>
      <div>
        <button type="button" class="button small" onClick={() => setQuery({ all: null })}>
          {say('Fold tools that are alike')}
        </button>
      </div>
      {graph}
    </>
  )
}

function toneOf(id: string, kind: Wiring['nodes'][number]['kind'], edges: readonly Edge[]) {
  if (edges.some(({ to, failed }) => to === id && (failed ?? 0) > 0)) return 'bad' as const
  if (edges.some(({ to, lag }) => to === id && (lag ?? 0) > 0)) return 'warn' as const
  return kind === 'tool' ? ('accent' as const) : ('plain' as const)
}

function labelOf({ kind, count: runs, lag, lastError }: Edge): string {
  if (kind !== 'triggers') return say(kind)
  return [
    count(runs ?? 0),
    ...(lag ? [say('{n} behind', { n: lag })] : []),
    ...(lastError ? [lastError.code] : []),
  ].join(' · ')
}
