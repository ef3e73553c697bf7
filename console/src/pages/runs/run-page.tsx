// One run: how it ended, where the time went, what it said, and making it again.
import { useEffect } from 'preact/hooks'
import { askJson, idPath } from '../../api/client.ts'
import type { RunDetail } from '../../api/types.ts'
import { Badge } from '../../parts/badge.tsx'
import { ChangesPanel } from '../../parts/changes-panel.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Heading } from '../../parts/heading.tsx'
import { Icon } from '../../parts/icon.tsx'
import { JsonText } from '../../parts/json-text.tsx'
import { Loading } from '../../parts/loading.tsx'
import { FenceTable, Permit, stopsAfter, stopsDuring } from '../../parts/permit.tsx'
import { RunBadge } from '../../parts/run-table.tsx'
import { duration, Elapsed, Moment, money } from '../../parts/time.tsx'
import { ResultView } from '../../result/result-view.tsx'
import { type CallState, cancelRun, followRun } from '../../state/calls.ts'
import { approvals, isAdmin } from '../../state/live.ts'
import { titleParts } from '../../state/page-title.ts'
import { linkTo, route } from '../../state/route.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import { say } from '../../words/say.ts'
import { LogLines } from '../tool/log-lines.tsx'
import { OutcomeError } from '../tool/outcome-error.tsx'
import { ProgressBar } from '../tool/progress-bar.tsx'
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
  const isRunning = data?.state === 'running'
  const live = isRunning ? followRun(id).value : null
  useEffect(() => {
    if (live && !live.isRunning) reload()
  }, [live?.isRunning])
  useEffect(() => {
    if (data) titleParts.value = [data.tool, say('Runs')]
  }, [data?.tool])

  if (error && !data)
    return (
      <div class="page">
        <Heading>
          {say('Run')} {id}
        </Heading>
        <Failure error={error} onRetry={reload} />
        <a href={linkTo('runs')}>{say('To the runs')}</a>
      </div>
    )
  if (!data) return <Loading what={say('the run')} lines={10} isPage />
  return <Loaded run={live ? { ...data, logs: live.logs, spans: live.spans } : data} live={live} />
}

function Loaded({ run, live }: { run: RunDetail; live: CallState | null }) {
  const { outcome } = run
  return (
    <div class="page">
      <div class="page-head">
        <Heading>
          {say('Run of')} <a href={linkTo('tools', run.tool)}>{run.tool}</a>
        </Heading>
        <RunBadge run={run} />
        <span class="grow" />
        {run.ok === false && isAdmin.value && (
          <a class="button" href={linkTo('tools', run.tool, { tab: 'code' })}>
            {say('Show the code')}
          </a>
        )}
        <a class="button" href={linkTo('threads', run.runId)}>
          {say('Thread')}
        </a>
        {run.state === 'running' ? (
          <button type="button" class="button danger" onClick={() => void cancelRun(run.runId)}>
            <Icon name="stop" /> {say('Cancel')}
          </button>
        ) : (
          <Replay run={run} />
        )}
      </div>
      <section aria-label={say('Permit')}>
        <Permit
          stops={
            live && live.guards.length > 0
              ? stopsDuring(
                  live.guards,
                  approvals.value.some(({ runId }) => runId === run.runId),
                )
              : stopsAfter(run)
          }
          fence={<FenceTable enforcement={run.enforcement} expected="in-process" />}
        />
      </section>
      {live && <ProgressBar progress={live.progress} />}
      {live?.text && <p class="model-text">{live.text}</p>}
      <div class="card">
        <div class="body">
          <dl class="facts">
            <dt>{say('Run')}</dt>
            <dd class="mono">
              {run.runId} <CopyButton label={say('run id')} text={run.runId} />
            </dd>
            <dt>{say('Started')}</dt>
            <dd>
              <Moment moment={run.startedAt} />
            </dd>
            <dt>{say('Took')}</dt>
            <dd>{live ? <Elapsed since={run.startedAt} /> : duration(run.ms)}</dd>
            <dt>{say('Caller')}</dt>
            <dd>
              {run.caller} <Badge>{run.surface}</Badge>
            </dd>
            <dt>{say('Format')}</dt>
            <dd>{run.format}</dd>
            {run.cost && (
              <>
                <dt>{say('Cost')}</dt>
                <dd>{money(run.cost)}</dd>
              </>
            )}
          </dl>
        </div>
      </div>
      {outcome && !outcome.ok && <OutcomeError error={outcome.error} />}
      {outcome?.effects && outcome.effects.state !== 'none' && (
        <section class="card" aria-label={say('File changes')}>
          <header>
            <h2>{say('File changes')}</h2>
          </header>
          <div class="body">
            <ChangesPanel runId={run.runId} />
          </div>
        </section>
      )}
      <section class="card" aria-label={say('Waterfall')}>
        <header>
          <h2>{say('Timeline')}</h2>
        </header>
        <div class="body">
          <Waterfall spans={run.spans} totalMs={run.ms} />
        </div>
      </section>
      <div class="run-columns">
        <section class="card" aria-label={say('Parameters')}>
          <header>
            <h2>{say('Parameters')}</h2>
            {!run.isInFull && (
              <Badge title={say('audit.params is shape: values are not recorded')}>{say('shape only')}</Badge>
            )}
          </header>
          <div class="body">
            <JsonText value={run.params} label={say('Parameters as recorded')} />
          </div>
        </section>
        {outcome?.ok && (
          <section class="card" aria-label={say('Result as recorded')}>
            <header>
              <h2>{say('Result')}</h2>
              {!run.isInFull && (
                <Badge title={say('audit.params is shape: values are not recorded')}>
                  {say('shape only')}
                </Badge>
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
  const isExact = run.isInFull === true
  const link = isExact
    ? linkTo('tools', run.tool, { params: JSON.stringify(run.params ?? {}) })
    : linkTo('tools', run.tool)
  return (
    <a
      class="button"
      href={link}
      title={
        isExact
          ? say('Opens the form with these parameters')
          : say('Only the shape of the parameters was recorded; set audit.params: full to keep values')
      }
    >
      <Icon name="play" /> {isExact ? say('Replay') : say('Run the tool again')}
    </a>
  )
}
