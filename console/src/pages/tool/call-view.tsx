// A call as it happens, and its outcome: progress, logs, result or error, and the label of what was enforced.
import type { Example, Outcome } from '../../api/types.ts'
import { Badge } from '../../parts/badge.tsx'
import { Failure } from '../../parts/failure.tsx'
import { duration } from '../../parts/time.tsx'
import { EnforcementBadge } from '../../parts/tool-badges.tsx'
import { linkTo } from '../../state/route.ts'
import { LogLines } from './log-lines.tsx'
import { OutcomeError } from './outcome-error.tsx'
import { ProgressBar } from './progress-bar.tsx'
import { ResultView } from './result-view.tsx'
import type { CallState } from './use-call.ts'

export function CallView({ state, example }: { state: CallState; example: Example | null }) {
  const { isRunning, outcome, error, logs, progress, runId } = state
  if (!isRunning && !outcome && !error) return null
  return (
    <section class="card" aria-label="Outcome">
      <header>
        <h2>{isRunning ? 'Running' : 'Outcome'}</h2>
        {isRunning && <span class="spinner" aria-hidden="true" />}
        {outcome && <OutcomeBadges outcome={outcome} example={example} />}
        {runId && (
          <a href={linkTo('runs', runId)} class="nowrap">
            See the run
          </a>
        )}
      </header>
      <div class="body stack">
        {isRunning && <ProgressBar progress={progress} />}
        {error && <Failure error={error} />}
        {outcome && !outcome.ok && <OutcomeError error={outcome.error} />}
        {outcome && (outcome.ok || outcome.value !== undefined) && <ResultView value={outcome.value} />}
        {outcome?.ok && example && !agrees(outcome, example) && example.expect !== undefined && (
          <details>
            <summary>Expected by the example</summary>
            <ResultView value={example.expect} />
          </details>
        )}
        {(logs.length > 0 || (outcome?.logs.length ?? 0) > 0) && (
          <LogLines lines={outcome?.logs.length ? outcome.logs : logs} isLive={isRunning} />
        )}
      </div>
    </section>
  )
}

function OutcomeBadges({ outcome, example }: { outcome: Outcome; example: Example | null }) {
  const isExpected = agrees(outcome, example)
  return (
    <>
      <Badge tone={outcome.ok ? 'ok' : 'bad'}>{outcome.ok ? 'succeeded' : outcome.error.code}</Badge>
      {isExpected !== null && (
        <Badge tone={isExpected ? 'ok' : 'warn'}>{isExpected ? 'as expected' : 'not as expected'}</Badge>
      )}
      <span class="muted">{duration(outcome.ms)}</span>
      <EnforcementBadge enforcement={outcome.enforcement} />
    </>
  )
}

/** Whether the outcome is what an example says; null when there is nothing to compare exactly. */
function agrees(outcome: Outcome, example: Example | null): boolean | null {
  if (!example) return null
  if (example.expectError !== undefined) return !outcome.ok && outcome.error.code === example.expectError
  if (example.expect === undefined || (example.match ?? 'exact') !== 'exact') return outcome.ok ? null : false
  return outcome.ok && sorted(outcome.value) === sorted(example.expect)
}

function sorted(value: unknown): string {
  return JSON.stringify(value, (_key, inner) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
}
