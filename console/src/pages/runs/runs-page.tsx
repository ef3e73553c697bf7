// What ran and what runs: a live list with filters, and charts over time.
import { computed } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import { askJson } from '../../api/client.ts'
import type { RunSummary } from '../../api/types.ts'
import { ChoiceFilter } from '../../parts/choice-filter.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Loading } from '../../parts/loading.tsx'
import { RunTable } from '../../parts/run-table.tsx'
import { SearchBox } from '../../parts/search-box.tsx'
import { finished, running } from '../../state/live.ts'
import { route, setQuery } from '../../state/route.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import { keepRuns, type RunFilter } from './keep-runs.ts'
import { RunCharts } from './run-charts.tsx'
import './runs.css'

const pageSize = 500

interface RunsAnswer {
  readonly runs: readonly RunSummary[]
  readonly next?: string
}

const filter = computed<RunFilter>(() => {
  const { query } = route.value
  return {
    text: query.get('q') ?? '',
    outcome: query.get('outcome') ?? '',
    surface: query.get('surface') ?? '',
  }
})

export function RunsPage() {
  const [older, setOlder] = useState<RunsAnswer>({ runs: [] })
  const { data, error, reload } = useLoaded(
    (signal) => askJson<RunsAnswer>(`/api/runs?limit=${pageSize}`, { signal }),
    [],
  )
  useEffect(() => setOlder({ runs: [] }), [data])
  const stored = [...(data?.runs ?? []), ...older.runs]
  const all = joined(running.value, finished.value, stored)
  const shown = keepRuns(all, filter.value)
  const next = older.runs.length > 0 ? older.next : data?.next
  const loadOlder = async () => {
    const answer = await askJson<RunsAnswer>(`/api/runs?limit=${pageSize}&cursor=${next}`)
    setOlder({ ...answer, runs: [...older.runs, ...answer.runs] })
  }
  return (
    <div class="page">
      <div class="page-head">
        <h1 tabIndex={-1}>Runs</h1>
        <span class="muted" role="status">
          {data ? `${shown.length.toLocaleString('en')} shown, ${running.value.length} running` : ''}
        </span>
      </div>
      {error && <Failure error={error} onRetry={reload} />}
      {all.length > 0 && <RunCharts runs={all} />}
      <div class="filters">
        <SearchBox label="Search tool or caller" value={filter.value.text} onInput={(q) => setQuery({ q })} />
        <ChoiceFilter
          label="Outcome"
          value={filter.value.outcome}
          choices={['ok', 'failed', 'running']}
          onChoose={(outcome) => setQuery({ outcome })}
        />
        <ChoiceFilter
          label="Surface"
          value={filter.value.surface}
          choices={[...new Set(all.map((run) => run.surface))].sort()}
          onChoose={(surface) => setQuery({ surface })}
        />
      </div>
      {!data && !error && <Loading what="runs" lines={10} />}
      {data && all.length === 0 && (
        <Empty title="Nothing has run yet" icon="runs">
          <p>Every call of a tool is recorded here, whoever makes it.</p>
        </Empty>
      )}
      {all.length > 0 && shown.length === 0 && (
        <Empty title="Nothing matches" icon="search">
          <button
            type="button"
            class="button"
            onClick={() => setQuery({ q: null, outcome: null, surface: null })}
          >
            Clear search and filters
          </button>
        </Empty>
      )}
      {shown.length > 0 && (
        <div class="card">
          <RunTable runs={shown.slice(0, 1_000)} />
        </div>
      )}
      {next !== undefined && (
        <div>
          <button type="button" class="button" onClick={loadOlder}>
            Older runs
          </button>
        </div>
      )}
    </div>
  )
}

/** Live ones first; a run that is both live and stored is shown once. */
function joined(...lists: readonly (readonly RunSummary[])[]): RunSummary[] {
  const seen = new Map<string, RunSummary>()
  for (const run of lists.flat()) {
    const known = seen.get(run.runId)
    if (!known || (known.state === 'running' && run.state === undefined)) seen.set(run.runId, run)
  }
  return [...seen.values()].sort((a, b) => (a.startedAt < b.startedAt ? 1 : -1))
}
