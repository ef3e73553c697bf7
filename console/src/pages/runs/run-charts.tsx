// Calls, errors and latency over time. The figures are also there as words, for those who cannot see a chart.
import { useState } from 'preact/hooks'
import type { RunSummary } from '../../api/types.ts'
import { Chart } from '../../parts/chart.tsx'
import { Segmented } from '../../parts/segmented.tsx'
import { duration } from '../../parts/time.tsx'
import { bucketRuns, quantile } from './bucket-runs.ts'

const spans = { '15': '15 min', '60': '1 h', '1440': '24 h', all: 'All' } as const
type Span = keyof typeof spans
const stretches = 48

export function RunCharts({ runs }: { runs: readonly RunSummary[] }) {
  const [span, setSpan] = useState<Span>('60')
  const now = Date.now()
  const oldest = Math.min(now - 60_000, ...runs.map((run) => Date.parse(run.startedAt)))
  const from = span === 'all' ? oldest : now - Number(span) * 60_000
  const inSpan = runs.filter((run) => run.state === undefined && Date.parse(run.startedAt) >= from)
  const { times, calls, errors, median, slow } = bucketRuns(inSpan, from, now, stretches)
  const failed = inSpan.filter((run) => !run.ok).length
  const sorted = inSpan.map((run) => run.ms).sort((a, b) => a - b)
  const words = {
    calls: `${inSpan.length.toLocaleString('en')} calls`,
    errors: `${failed.toLocaleString('en')} failed`,
    latency:
      sorted.length === 0
        ? 'no calls'
        : `median ${duration(quantile(sorted, 0.5)!)}, 95 % within ${duration(quantile(sorted, 0.95)!)}`,
  }
  return (
    <section class="card" aria-label="Charts">
      <header>
        <h2>Over time</h2>
        <Segmented
          label="Stretch of time"
          options={Object.entries(spans) as [Span, string][]}
          chosen={span}
          onChoose={setSpan}
        />
      </header>
      <div class="body charts">
        <Chart
          title="Calls"
          summary={words.calls}
          times={times}
          series={[{ name: 'calls', colour: '--accent', values: calls, isBar: true }]}
        />
        <Chart
          title="Errors"
          summary={words.errors}
          times={times}
          series={[{ name: 'errors', colour: '--bad', values: errors, isBar: true }]}
        />
        <Chart
          title="Latency"
          summary={words.latency}
          times={times}
          unit="ms"
          series={[
            { name: 'median', colour: '--accent', values: median },
            { name: '95 %', colour: '--warn', values: slow },
          ]}
        />
      </div>
    </section>
  )
}
