// What runs now, with how long it has run.
import { useComputed } from '@preact/signals'
import type { RunSummary } from '../../api/types.ts'
import { duration } from '../../parts/time.tsx'
import { now } from '../../state/clock.ts'
import { linkTo } from '../../state/route.ts'
import { say } from '../../words/say.ts'

export function RunningList({ runs }: { runs: readonly RunSummary[] }) {
  if (runs.length === 0) return <p class="quiet-line">{say('Nothing runs.')}</p>
  return (
    <ul class="lines">
      {runs.slice(0, 10).map((run) => (
        <li key={run.runId}>
          <a class="line" href={linkTo('runs', run.runId)} data-row>
            <span class="dot" data-state="now" aria-hidden="true" />
            <span class="mono grow cut">{run.tool}</span>
            <span class="muted nowrap">{run.caller}</span>
            <Elapsed since={run.startedAt} />
          </a>
        </li>
      ))}
    </ul>
  )
}

/** Time so far, counting. */
export function Elapsed({ since }: { since: string }) {
  const text = useComputed(() =>
    duration(Math.max(0, Math.floor((now.value - Date.parse(since)) / 1000) * 1000)),
  )
  return <span class="nowrap number">{text}</span>
}
