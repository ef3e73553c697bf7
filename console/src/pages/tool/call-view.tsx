// A call as it happens, and its outcome: progress, text, logs, result or error, and what was enforced.
import type { Example, Outcome, PendingApproval, Tool } from '../../api/types.ts'
import { Badge } from '../../parts/badge.tsx'
import { ChangesPanel } from '../../parts/changes-panel.tsx'
import { Failure } from '../../parts/failure.tsx'
import { JsonText } from '../../parts/json-text.tsx'
import { Permit, stopsAfter, stopsDuring } from '../../parts/permit.tsx'
import { duration, Elapsed } from '../../parts/time.tsx'
import { EnforcementBadge } from '../../parts/tool-badges.tsx'
import { ResultView } from '../../result/result-view.tsx'
import type { CallState } from '../../state/calls.ts'
import { approvals, isAdmin } from '../../state/live.ts'
import { linkTo } from '../../state/route.ts'
import { say } from '../../words/say.ts'
import { Decide } from '../inbox/approval-card.tsx'
import { LogLines } from './log-lines.tsx'
import { OutcomeError } from './outcome-error.tsx'
import { ProgressBar } from './progress-bar.tsx'
import { SaveExample } from './save-example.tsx'

interface CallViewProps {
  readonly state: CallState
  readonly example: Example | null
  readonly tool: Tool
}

export function CallView({ state, example, tool }: CallViewProps) {
  const { isRunning, outcome, error, logs, progress, runId, text, guards, spans } = state
  if (!isRunning && !outcome && !error) return null
  const waiting = approvals.value.find((each) => each.runId === runId)
  return (
    <section class="card" aria-label={say('Outcome')}>
      <header>
        <h2>{isRunning ? (waiting ? say('Waits for a person') : say('Running')) : say('Outcome')}</h2>
        {isRunning && <span class="spinner" aria-hidden="true" />}
        {isRunning && <Elapsed since={new Date(state.startedMs).toISOString()} />}
        {outcome && <OutcomeBadges outcome={outcome} example={example} />}
        {runId && (
          <span class="row">
            <a href={linkTo('runs', runId)} class="nowrap">
              {say('See the run')}
            </a>
            <a href={linkTo('threads', runId)} class="nowrap">
              {say('Thread')}
            </a>
          </span>
        )}
      </header>
      <div class="body stack">
        {isRunning && guards.length > 0 && <Permit stops={stopsDuring(guards, waiting !== undefined)} />}
        {waiting && isAdmin.value && <InlineApproval pending={waiting} />}
        {isRunning && !waiting && <ProgressBar progress={progress} />}
        {error && <Failure error={error} />}
        {outcome && !outcome.ok && (
          <>
            <Permit
              stops={stopsAfter({
                ...state.run,
                ok: false,
                errorCode: outcome.error.code,
                stoppedAt: lastGuard(state),
                spans,
              })}
            />
            <OutcomeError error={outcome.error} />
          </>
        )}
        {text !== '' && !outcome && (
          <p class="model-text" aria-live="off">
            {text}
          </p>
        )}
        {outcome && (outcome.ok || outcome.value !== undefined) && <ResultView value={outcome.value} />}
        {outcome?.effects && outcome.effects.state !== 'none' && runId && (
          <details open={outcome.effects.state === 'held'}>
            <summary>{say('File changes')}</summary>
            <ChangesPanel runId={runId} />
          </details>
        )}
        {outcome?.ok && example && !agrees(outcome, example) && example.expect !== undefined && (
          <details>
            <summary>{say('Expected by the example')}</summary>
            <ResultView value={example.expect} />
          </details>
        )}
        {outcome?.ok && !example && state.run?.isInFull && (
          <SaveExample tool={tool} params={state.run.params} result={outcome.value} />
        )}
        {(logs.length > 0 || (outcome?.logs.length ?? 0) > 0) && (
          <LogLines lines={outcome?.logs.length ? outcome.logs : logs} isLive={isRunning} />
        )}
      </div>
    </section>
  )
}

/** Where the call was when it ended. */
function lastGuard({ guards, run }: CallState): string | undefined {
  return guards.find(({ state }) => state === 'stopped' || state === 'now')?.name ?? run?.stoppedAt
}

function InlineApproval({ pending }: { pending: PendingApproval }) {
  return (
    <div class="callout" data-tone="warn">
      <strong>{say('This call needs a person’s yes.')}</strong>
      <JsonText value={pending.params} label={say('Arguments')} />
      <Decide pending={pending} />
    </div>
  )
}

function OutcomeBadges({ outcome, example }: { outcome: Outcome; example: Example | null }) {
  const isExpected = agrees(outcome, example)
  return (
    <>
      <Badge tone={outcome.ok ? 'ok' : 'bad'}>{outcome.ok ? say('succeeded') : outcome.error.code}</Badge>
      {isExpected !== null && (
        <Badge tone={isExpected ? 'ok' : 'warn'}>
          {isExpected ? say('as expected') : say('not as expected')}
        </Badge>
      )}
      <span class="muted">{duration(outcome.ms)}</span>
      {outcome.ok && <EnforcementBadge enforcement={outcome.enforcement} />}
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
