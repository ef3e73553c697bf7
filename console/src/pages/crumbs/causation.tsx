// What set off a crumb and what came of it, drawn: crumbs and runs, and who triggered, wrote or called what.
import { askJson } from '../../api/client.ts'
import type { CausationGraph } from '../../api/types.ts'
import { Empty } from '../../parts/empty.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Graph, type GraphNode } from '../../parts/graph.tsx'
import { Loading } from '../../parts/loading.tsx'
import { duration } from '../../parts/time.tsx'
import { linkTo } from '../../state/route.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import { say, sayKnown } from '../../words/say.ts'

export function Causation({ id, version }: { id: string; version: number }) {
  const { data, error, reload } = useLoaded(
    (signal) => askJson<CausationGraph>(`/api/crumbs/${id}/causation`, { signal }),
    [id, version],
  )
  if (error) return <Failure error={error} onRetry={reload} />
  if (!data) return <Loading what={say('causes and effects')} />
  return (
    <section class="card" aria-label={say('Causes and effects')}>
      <header>
        <h2>{say('Causes and effects')}</h2>
        <button type="button" class="button small" onClick={reload}>
          {say('Look again')}
        </button>
      </header>
      <div class="body stack">
        {data.edges.length === 0 ? (
          <Empty title={say('Nothing came of it')} icon="crumbs">
            <p>{say('No tool wrote this event, and none reacted to it so far.')}</p>
          </Empty>
        ) : (
          <Graph
            label={say('Causes and effects of the event')}
            nodes={data.nodes.map((node) => drawn(node, id))}
            edges={unique(data.edges)}
          />
        )}
        {data.isCut && <p class="muted">{say('The chain is longer than what is shown.')}</p>}
      </div>
    </section>
  )
}

function drawn(node: CausationGraph['nodes'][number], own: string): GraphNode {
  if (node.kind === 'crumb')
    return {
      id: node.id,
      label: node.title,
      sub: node.schema_name ?? say('event'),
      tone: node.crumb === own ? 'accent' : 'plain',
      href: linkTo('events', node.crumb),
    }
  const state =
    node.ok === undefined ? say('running') : node.ok ? say('ok') : (node.errorCode ?? say('failed'))
  return {
    id: node.id,
    label: node.tool,
    sub: `${say('run, {state}', { state })}${node.ms === undefined ? '' : `, ${duration(node.ms)}`}`,
    tone: node.ok === undefined ? 'info' : node.ok ? 'ok' : 'bad',
    href: linkTo('runs', node.runId),
  }
}

/** One arrow between two nodes, however many events lie behind it. */
function unique(edges: CausationGraph['edges']) {
  const byEnds = new Map(edges.map((edge) => [`${edge.from} ${edge.to}`, edge]))
  return [...byEnds.values()].map(({ from, to, kind }) => ({ from, to, label: sayKnown(kind) }))
}
