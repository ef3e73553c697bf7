// One story from cause to effect: a tree over a time axis, the same as a graph, or all logs as one.
import { idPath } from '../../api/client.ts'
import type { Thread } from '../../api/types.ts'
import { Failure } from '../../parts/failure.tsx'
import { Graph } from '../../parts/graph.tsx'
import { Heading } from '../../parts/heading.tsx'
import { Loading } from '../../parts/loading.tsx'
import { LongText } from '../../parts/long-text.tsx'
import { Segmented } from '../../parts/segmented.tsx'
import { duration, Moment } from '../../parts/time.tsx'
import { useQuery } from '../../state/query.ts'
import { linkTo, route, setQuery } from '../../state/route.ts'
import { say, sayMany } from '../../words/say.ts'
import { ExportThread } from './export-thread.tsx'
import { type AxisRow, axisOf } from './thread-axis.ts'
import { ThreadNode } from './thread-node.tsx'
import './thread.css'

type View = 'tree' | 'graph' | 'log'

export function ThreadPage() {
  const id = route.value.rest
  const { data, error, reload } = useQuery<Thread>(`/api/threads/${idPath(id)}`, ['runs', 'events'])
  if (error && !data)
    return (
      <div class="page">
        <Heading>{say('Thread')}</Heading>
        <Failure error={error} onRetry={reload} />
      </div>
    )
  if (!data) return <Loading what={say('the thread')} lines={10} isPage />
  return <Loaded thread={data} />
}

function Loaded({ thread }: { thread: Thread }) {
  const view = (route.value.query.get('view') ?? 'tree') as View
  const picked = route.value.query.get('node') ?? thread.member
  const { rows, startMs, endMs } = axisOf(thread.nodes)
  const chosen = rows.find(({ node }) => node.id === picked) ?? rows[0]
  const failed = rows.filter(({ node }) => node.state === 'failed' || node.state === 'refused').length
  return (
    <div class="page">
      <div class="page-head">
        <Heading>{say('Thread')}</Heading>
        <span class="muted">
          {sayMany(rows.length, '{n} step', '{n} steps')} · {duration(endMs - startMs)}
          {failed > 0 && ` · ${say('{n} failed', { n: failed })}`}
          {thread.isLive && ` · ${say('live')}`}
        </span>
        <span class="grow" />
        <Segmented
          label={say('Show as')}
          options={[
            ['tree', say('Timeline')],
            ['graph', say('Graph')],
            ['log', say('Log')],
          ]}
          chosen={view}
          onChoose={(next: View) => setQuery({ view: next === 'tree' ? null : next })}
        />
        <ExportThread thread={thread} />
      </div>
      {thread.isCut && <p class="muted">{say('The thread is longer than what is shown.')}</p>}
      {view === 'tree' && (
        <div class="thread">
          <ol class="thread-rows" aria-label={say('Timeline')}>
            {rows.map((row) => (
              <Row
                key={row.node.id}
                row={row}
                isChosen={row === chosen}
                onPick={() => setQuery({ node: row.node.id })}
              />
            ))}
          </ol>
          {chosen && <ThreadNode node={chosen.node} thread={thread.id} />}
        </div>
      )}
      {view === 'graph' && (
        <div class="thread-graph">
          <Graph
            label={say('Thread')}
            nodes={rows.map(({ node }) => ({
              id: node.id,
              label: node.title,
              sub:
                node.kind === 'event'
                  ? `${node.schema ?? ''} v${node.version}`
                  : (node.errorCode ?? duration(node.ms ?? 0)),
              tone: toneOf(node.state),
              href: linkTo('threads', thread.id, { view: 'graph', node: node.id }),
              isChosen: node === chosen?.node,
            }))}
            edges={rows.flatMap(({ node }) =>
              node.parent === null ? [] : [{ from: node.parent, to: node.id }],
            )}
          />
          {chosen && <ThreadNode node={chosen.node} thread={thread.id} />}
        </div>
      )}
      {view === 'log' && <MergedLog rows={rows} thread={thread.id} />}
    </div>
  )
}

function toneOf(state: Thread['nodes'][number]['state']) {
  if (state === 'ok') return 'ok' as const
  if (state === 'failed' || state === 'refused') return 'bad' as const
  return state === 'running' ? ('warn' as const) : ('plain' as const)
}

function Row({ row, isChosen, onPick }: { row: AxisRow; isChosen: boolean; onPick(): void }) {
  const { node, depth, left, width } = row
  return (
    <li>
      <button type="button" class="thread-row" aria-pressed={isChosen} data-row onClick={onPick}>
        <span class="thread-name cut" style={{ paddingLeft: `${depth * 1.1}rem` }}>
          <span class="dot" data-state={dotOf(node.state)} aria-hidden="true" />
          <span class={node.kind === 'run' ? 'mono cut' : 'cut'}>
            {node.kind === 'event' ? node.schema || node.title : node.title}
          </span>
          <span class="unseen">{say(node.state)}</span>
        </span>
        <span class="thread-axis" aria-hidden="true">
          <span
            class="thread-bar"
            data-kind={node.kind}
            data-state={dotOf(node.state)}
            style={{ left: `${left}%`, width: `${width}%` }}
          />
        </span>
        <span class="muted nowrap number">
          {node.kind === 'run' ? duration(node.ms ?? 0) : say(node.state)}
        </span>
      </button>
    </li>
  )
}

function dotOf(state: Thread['nodes'][number]['state']): string {
  if (state === 'ok') return 'ok'
  if (state === 'failed' || state === 'refused') return 'bad'
  return state === 'running' ? 'now' : 'plain'
}

function MergedLog({ rows, thread }: { rows: readonly AxisRow[]; thread: string }) {
  const lines = rows
    .flatMap(({ node }) =>
      node.logs.map((line) => ({ node, line, at: new Date(Date.parse(node.at) + line.atMs).toISOString() })),
    )
    .sort((a, b) => (a.at < b.at ? -1 : 1))
  if (lines.length === 0) return <p class="muted">{say('Nothing was logged.')}</p>
  return (
    <ol class="merged-log">
      {lines.map(({ node, line, at }, index) => (
        <li key={index} data-level={line.level}>
          <Moment moment={at} />{' '}
          <a class="mono" href={linkTo('threads', thread, { node: node.id })}>
            {node.title}
          </a>{' '}
          <span>
            <LongText text={line.message} />
          </span>
        </li>
      ))}
    </ol>
  )
}
