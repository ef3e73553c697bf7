// One story from cause to effect: a tree over a time axis, the same as a graph, or all logs as one.
import { useState } from 'preact/hooks'
import { idPath } from '../../api/client.ts'
import type { Thread } from '../../api/types.ts'
import { Failure } from '../../parts/failure.tsx'
import { Graph } from '../../parts/graph.tsx'
import { Heading } from '../../parts/heading.tsx'
import { Loading } from '../../parts/loading.tsx'
import { LongText } from '../../parts/long-text.tsx'
import { Segmented } from '../../parts/segmented.tsx'
import { duration, Moment } from '../../parts/time.tsx'
import { VirtualList } from '../../parts/virtual-list.tsx'
import { useQuery } from '../../state/query.ts'
import { linkTo, route, setQuery } from '../../state/route.ts'
import { say, sayMany } from '../../words/say.ts'
import { ExportThread } from './export-thread.tsx'
import { type AxisRow, axisOf } from './thread-axis.ts'
import { ThreadNode } from './thread-node.tsx'
import './thread.css'

/** Lines of the log that are drawn at first, and more with each click. */
const mostEntries = 150

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
          <div class="thread-rows">
            <VirtualList
              label={say('Timeline')}
              items={rows}
              keyOf={({ node }) => node.id}
              rowClass="thread-line"
            >
              {(row) => (
                <Row row={row} isChosen={row === chosen} onPick={() => setQuery({ node: row.node.id })} />
              )}
            </VirtualList>
          </div>
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
  )
}

function dotOf(state: Thread['nodes'][number]['state']): string {
  if (state === 'ok') return 'ok'
  if (state === 'failed' || state === 'refused') return 'bad'
  return state === 'running' ? 'now' : 'plain'
}

interface LogEntry {
  readonly node: Thread['nodes'][number]
  readonly at: string
  readonly level: string
  readonly text: string
  /** Said by the run itself and not about it. */
  readonly isOwn?: boolean
}

/** What each run logged, between what became of every step. */
function MergedLog({ rows, thread }: { rows: readonly AxisRow[]; thread: string }) {
  const entries = rows.flatMap(({ node }) => entriesOf(node)).sort((a, b) => (a.at < b.at ? -1 : 1))
  const [most, setMost] = useState(mostEntries)
  return (
    <ol class="merged-log" aria-label={say('Log')}>
      {entries.slice(0, most).map(({ node, at, level, text, isOwn }, index) => (
        <li key={index} data-level={level}>
          <Moment moment={at} />{' '}
          <a class="mono" href={linkTo('threads', thread, { node: node.id })}>
            {node.kind === 'event' ? node.schema || node.title : node.title}
          </a>{' '}
          <span class={isOwn ? undefined : 'muted'}>
            <LongText text={text} />
          </span>
        </li>
      ))}
      {entries.length > most && (
        <li>
          <button type="button" class="button small quiet" onClick={() => setMost(most + mostEntries)}>
            {sayMany(entries.length - most, '{n} more line', '{n} more lines')}
          </button>
        </li>
      )}
    </ol>
  )
}

function entriesOf(node: Thread['nodes'][number]): LogEntry[] {
  const beginMs = Date.parse(node.at)
  const after = (ms: number) => new Date(beginMs + ms).toISOString()
  if (node.kind === 'event')
    return [{ node, at: node.at, level: 'info', text: `${say(node.state)}: ${node.title}` }]
  const level = node.state === 'failed' || node.state === 'refused' ? 'error' : 'info'
  const end =
    node.state === 'running'
      ? say('running')
      : `${node.errorCode ?? say(node.state)}, ${duration(node.ms ?? 0)}`
  return [
    ...node.logs.map((line) => ({
      node,
      at: after(line.atMs),
      level: line.level,
      text: line.message,
      isOwn: true,
    })),
    { node, at: after(node.ms ?? 0), level, text: end },
  ]
}
