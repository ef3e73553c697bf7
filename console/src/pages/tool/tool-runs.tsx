// The latest runs of one tool, with its figures of a week and its errors by kind.
import { useMemo } from 'preact/hooks'
import type { RunStats, RunSummary, Tool } from '../../api/types.ts'
import { Empty } from '../../parts/empty.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Loading } from '../../parts/loading.tsx'
import { RunTable } from '../../parts/run-table.tsx'
import { duration } from '../../parts/time.tsx'
import { finished } from '../../state/live.ts'
import { useQuery } from '../../state/query.ts'
import { linkTo } from '../../state/route.ts'
import { dayMs, lastRange, statsPath } from '../../state/stats.ts'
import { count, say } from '../../words/say.ts'

export function ToolRuns({ tool }: { tool: Tool }) {
  const range = useMemo(() => lastRange(7 * dayMs, 7, Date.now()), [tool.id, finished.value[0]?.runId])
  const { data: stats } = useQuery<RunStats>(statsPath(range, { tool: tool.id, by: 'error' }), ['runs'])
  const { data, error, reload } = useQuery<{ runs: readonly RunSummary[] }>(
    `/api/runs?limit=50&tool=${encodeURIComponent(tool.id)}`,
    ['runs'],
  )
  if (error) return <Failure error={error} onRetry={reload} />
  if (!data) return <Loading what={say('runs')} />
  if (data.runs.length === 0)
    return <Empty title={say('Never run')}>{say('Runs of this tool will be listed here.')}</Empty>
  return (
    <>
      {stats && (
        <p class="row wrap">
          <span>
            {say('{n} calls in 7 days, {failed} failed, p50 {p50}, p95 {p95}', {
              n: stats.total.count,
              failed: stats.total.failed,
              p50: duration(stats.total.p50 ?? 0),
              p95: duration(stats.total.p95 ?? 0),
            })}
          </span>
          {stats.groups.map(({ key, count: n }) => (
            <a key={key} class="chip" href={linkTo('runs', '', { tool: tool.id, error: key })}>
              {key} {count(n)}
            </a>
          ))}
        </p>
      )}
      <div class="card">
        <RunTable runs={data.runs} hidesTool />
      </div>
    </>
  )
}
