// What ran and what runs: figures of all of them, facets, and a list that goes on for as long as there is more.
import { useMemo, useState } from 'preact/hooks'
import type { RunStats } from '../../api/types.ts'
import { ChoiceFilter } from '../../parts/choice-filter.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Heading } from '../../parts/heading.tsx'
import { Loading } from '../../parts/loading.tsx'
import { MoreBelow } from '../../parts/more-below.tsx'
import { RunTable } from '../../parts/run-table.tsx'
import { SearchBox } from '../../parts/search-box.tsx'
import { duration } from '../../parts/time.tsx'
import { finished, running } from '../../state/live.ts'
import { useQuery } from '../../state/query.ts'
import { linkTo, route, setQuery } from '../../state/route.ts'
import { dayMs, lastRange, statsPath } from '../../state/stats.ts'
import { say, sayMany, type Text } from '../../words/say.ts'
import { Histogram } from './histogram.tsx'
import { useRuns } from './use-runs.ts'
import './runs.css'

const filters = ['q', 'tool', 'ok', 'error', 'caller', 'surface', 'minMs', 'trigger', 'root'] as const
/** Filters that a link brings along: each is seen and taken away. */
const chips = [
  ['tool', 'Tool: {value}'],
  ['caller', 'Caller: {value}'],
  ['trigger', 'Trigger: {value}'],
  ['root', 'Called from run {value}'],
  ['minMs', 'At least {value} ms'],
] as const satisfies readonly (readonly [(typeof filters)[number], Text])[]
const spans: { readonly [key: string]: readonly [number, number] } = {
  '1h': [3_600_000, 60],
  '24h': [dayMs, 48],
  '7d': [7 * dayMs, 56],
  '30d': [30 * dayMs, 60],
}

export function RunsPage() {
  const { query } = route.value
  const asked = Object.fromEntries(
    filters.flatMap((name) => (query.get(name) ? [[name, query.get(name)!]] : [])),
  )
  const span = query.get('span') ?? '24h'
  const range = useMemo(
    () => lastRange(...(spans[span] ?? spans['24h']!), Date.now()),
    [span, finished.value[0]?.runId],
  )
  const since = query.get('since') ?? range.since
  const until = query.get('until') ?? range.until
  const { data: stats } = useQuery<RunStats>(statsPath(range, { ...asked, by: 'error' }), ['runs'])
  const { data: tools } = useQuery<RunStats>(statsPath(range, { by: 'surface' }), ['runs'])
  const path = `/api/runs?${new URLSearchParams({ limit: '100', since, until, ...asked })}`
  const { runs, hasMore, loadMore, error, reload } = useRuns(path)
  const [chosen, setChosen] = useState<readonly string[]>([])
  // Two are compared: a third takes the place of the first.
  const choose = (id: string) =>
    setChosen(chosen.includes(id) ? chosen.filter((each) => each !== id) : [...chosen, id].slice(-2))
  return (
    <div class="page">
      <div class="page-head">
        <Heading>{say('Runs')}</Heading>
        <span class="muted" role="status">
          {stats && <Total stats={stats} />}
        </span>
        <span class="grow" />
        {chosen.length === 2 && (
          <a class="button primary" href={linkTo('compare', chosen.join('/'))}>
            {say('Compare')}
          </a>
        )}
        <Spans chosen={span} />
      </div>
      {error && <Failure error={error} onRetry={reload} />}
      {stats && (
        <Histogram range={range} stats={stats} since={query.get('since')} until={query.get('until')} />
      )}
      <div class="filters">
        <SearchBox
          label={say('Search tool, caller, id or error')}
          value={query.get('q') ?? ''}
          onInput={(q) => setQuery({ q })}
        />
        <ChoiceFilter
          label={say('Outcome')}
          value={query.get('ok') ?? ''}
          choices={[
            ['true', say('ok')],
            ['false', say('failed')],
          ]}
          onChoose={(ok) => setQuery({ ok })}
        />
        <ChoiceFilter
          label={say('Error')}
          value={query.get('error') ?? ''}
          choices={stats?.groups.map(({ key, count }) => [key, `${key} (${count})`] as const) ?? []}
          onChoose={(code) => setQuery({ error: code })}
        />
        <ChoiceFilter
          label={say('Surface')}
          value={query.get('surface') ?? ''}
          choices={tools?.groups.map(({ key, count }) => [key, `${key} (${count})`] as const) ?? []}
          onChoose={(surface) => setQuery({ surface })}
        />
        {chips.map(
          ([name, label]) =>
            query.get(name) && (
              <button key={name} type="button" class="chip" onClick={() => setQuery({ [name]: null })}>
                {say(label, { value: query.get(name)! })} ×
              </button>
            ),
        )}
      </div>
      {!runs && !error && <Loading what={say('runs')} lines={10} />}
      {runs?.length === 0 && <NoRuns isFiltered={Object.keys(asked).length > 0} />}
      {runs && runs.length > 0 && (
        <div class="card">
          <RunTable runs={runs} chosen={chosen} onChoose={choose} />
        </div>
      )}
      {hasMore && <MoreBelow onSeen={loadMore} />}
    </div>
  )
}

function Total({ stats: { total } }: { stats: RunStats }) {
  const p95 = total.p95 === null ? '' : ` · p95 ${duration(total.p95)}`
  const now = running.value.length > 0 ? ` · ${say('{n} running', { n: running.value.length })}` : ''
  return (
    <>
      {sayMany(total.count, '{n} run', '{n} runs')} · {say('{n} failed', { n: total.failed })}
      {p95}
      {now}
    </>
  )
}

function Spans({ chosen }: { chosen: string }) {
  return (
    <div class="segmented" role="group" aria-label={say('Time')}>
      {Object.keys(spans).map((span) => (
        <button
          key={span}
          type="button"
          aria-pressed={span === chosen}
          onClick={() => setQuery({ span: span === '24h' ? null : span, since: null, until: null })}
        >
          {span}
        </button>
      ))}
    </div>
  )
}

function NoRuns({ isFiltered }: { isFiltered: boolean }) {
  if (!isFiltered)
    return (
      <Empty title={say('Nothing ran in this time')} icon="runs">
        <p>{say('Every call of a tool is recorded here, whoever makes it.')}</p>
        <a class="button" href={linkTo('tools')}>
          {say('Try a tool')}
        </a>
      </Empty>
    )
  const none = Object.fromEntries([...filters, 'since', 'until'].map((name) => [name, null]))
  return (
    <Empty title={say('Nothing matches')} icon="search">
      <button type="button" class="button" onClick={() => setQuery(none)}>
        {say('Clear search and filters')}
      </button>
    </Empty>
  )
}
