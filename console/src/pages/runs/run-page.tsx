// One run: how it ended, where the time went, what it said, and making it again.
import { useEffect } from 'preact/hooks'
import { ask, askJson, idPath } from '../../api/client.ts'
import type { RunDetail } from '../../api/types.ts'
import { Badge } from '../../parts/badge.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Icon } from '../../parts/icon.tsx'
import { JsonText } from '../../parts/json-text.tsx'
import { Loading } from '../../parts/loading.tsx'
import { RunBadge } from '../../parts/run-table.tsx'
import { duration, localTime } from '../../parts/time.tsx'
import { finished, info } from '../../state/live.ts'
import { announce } from '../../state/notices.ts'
import { linkTo, route } from '../../state/route.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import { LogLines } from '../tool/log-lines.tsx'
import { OutcomeError } from '../tool/outcome-error.tsx'
import { ResultView } from '../tool/result-view.tsx'
import { EnforcementTable } from './enforcement-table.tsx'
import { Waterfall } from './waterfall.tsx'
import '../tool/tool.css'
import './runs.css'

export function RunPage() {
  const id = route.value.rest
  const { data, error, reload } = useLoaded(
    (signal) => askJson<RunDetail>(`/api/runs/${idPath(id)}`, { signal }),
    [id],
  )
  const hasEnded = finished.value.some((run) => run.runId === id)
  const isRunning = data?.state === 'running'
  useEffect(() => {
    if (!isRunning) return
    if (hasEnded) reload()
    const timer = setInterval(reload, 1_000)
    return () => clearInterval(timer)
  }, [isRunning, hasEnded])

  if (error && !data)
    return (
      <div class="page">
        <h1 tabIndex={-1}>Run {id}</h1>
        <Failure error={error} onRetry={reload} />
        <a href={linkTo('runs')}>To the runs</a>
      </div>
    )
  if (!data) return <Loading what="the run" lines={10} />
  return <Loaded run={data} />
}

function Loaded({ run }: { run: RunDetail }) {
  const { outcome } = run
  const cancel = async () => {
    const answer = await ask(`/api/runs/${idPath(run.runId)}/cancel`, { method: 'POST' })
    announce(answer.ok ? 'Cancelled' : 'The run has already ended', !answer.ok)
  }
  return (
    <div class="page">
      <div class="page-head">
        <h1 tabIndex={-1}>
          Run of <a href={linkTo('tools', run.tool)}>{run.tool}</a>
        </h1>
        <RunBadge run={run} />
        <span class="grow" />
        {run.state === 'running' ? (
          <button type="button" class="button danger" onClick={cancel}>
            <Icon name="stop" /> Cancel
          </button>
        ) : (
          <Replay run={run} />
        )}
      </div>
      <div class="card">
        <div class="body">
          <dl class="facts">
            <dt>Run</dt>
            <dd class="mono">
              {run.runId} <CopyButton label="run id" text={run.runId} />
            </dd>
            <dt>Started</dt>
            <dd>{localTime(run.startedAt)}</dd>
            <dt>Took</dt>
            <dd>{duration(run.ms)}</dd>
            <dt>Caller</dt>
            <dd>
              {run.caller} <Badge>{run.surface}</Badge>
            </dd>
            <dt>Format</dt>
            <dd>{run.format}</dd>
            {run.cost && (
              <>
                <dt>Cost</dt>
                <dd>
                  {run.cost.amount} {run.cost.currency}
                </dd>
              </>
            )}
          </dl>
        </div>
      </div>
      {outcome && !outcome.ok && <OutcomeError error={outcome.error} />}
      <section class="card" aria-label="Waterfall">
        <header>
          <h2>Where the time went</h2>
        </header>
        <div class="body">
          <Waterfall spans={run.spans} totalMs={run.ms} />
        </div>
      </section>
      <div class="run-columns">
        <section class="card" aria-label="Parameters">
          <header>
            <h2>Parameters</h2>
            {!info.value?.recordsParams && (
              <Badge title="audit.params is shape: values are not recorded">shape only</Badge>
            )}
          </header>
          <div class="body">
            <JsonText value={run.params} label="Parameters as recorded" />
          </div>
        </section>
        {outcome?.ok && (
          <section class="card" aria-label="Result as recorded">
            <header>
              <h2>Result</h2>
              {!info.value?.recordsParams && (
                <Badge title="audit.params is shape: values are not recorded">shape only</Badge>
              )}
            </header>
            <div class="body">
              <ResultView value={outcome.value} />
            </div>
          </section>
        )}
        <EnforcementTable enforcement={run.enforcement} />
      </div>
      {run.logs.length > 0 && (
        <div class="card">
          <div class="body">
            <LogLines lines={run.logs} isLive={run.state === 'running'} />
          </div>
        </div>
      )}
    </div>
  )
}

/** Opens the tool with the parameters of the run; without recorded values only the tool. */
function Replay({ run }: { run: RunDetail }) {
  const isExact = info.value?.recordsParams === true
  const link = isExact
    ? linkTo('tools', run.tool, { params: JSON.stringify(run.params ?? {}) })
    : linkTo('tools', run.tool)
  return (
    <a
      class="button"
      href={link}
      title={
        isExact
          ? 'Opens the form with these parameters'
          : 'Only the shape of the parameters was recorded; set audit.params: full to keep values'
      }
    >
      <Icon name="play" /> {isExact ? 'Replay' : 'Run the tool again'}
    </a>
  )
}
