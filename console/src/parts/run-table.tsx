// Runs as a table: what, by whom, how long, how it ended and what was enforced.
import type { RunSummary } from '../api/types.ts'
import { linkTo } from '../state/route.ts'
import { say } from '../words/say.ts'
import { Badge } from './badge.tsx'
import { Ago, duration } from './time.tsx'
import { EnforcementBadge } from './tool-badges.tsx'

export function RunTable({ runs, hidesTool = false }: { runs: readonly RunSummary[]; hidesTool?: boolean }) {
  return (
    <table class="run-table">
      <caption class="unseen">Runs, latest first</caption>
      <thead>
        <tr>
          <th scope="col">Outcome</th>
          <th scope="col">{hidesTool ? 'Run' : 'Tool'}</th>
          <th scope="col">Caller</th>
          <th scope="col">Time</th>
          <th scope="col">Enforcement</th>
          <th scope="col">Started</th>
        </tr>
      </thead>
      <tbody>
        {runs.map((run) => (
          <tr key={run.runId} data-state={run.state}>
            <td>
              <RunBadge run={run} />
            </td>
            <td class="run-name">
              <a class="mono" href={linkTo('runs', run.runId)} data-row>
                {hidesTool ? run.runId.slice(0, 18) : run.tool}
              </a>
            </td>
            <td>
              {run.caller} {run.surface !== run.caller && <span class="muted">{run.surface}</span>}
            </td>
            <td class="nowrap number">{run.state ? '…' : duration(run.ms)}</td>
            <td>{run.state || isRefused(run) ? null : <EnforcementBadge enforcement={run.enforcement} />}</td>
            <td>
              <Ago moment={run.startedAt} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const beforeTool = new Set([
  'ready',
  'trust',
  'lock',
  'grants',
  'allowed-tools',
  'params',
  'config',
  'secrets',
  'approve',
  'compose',
])

/** A guard stopped it before the tool began. */
function isRefused({ ok, stoppedAt }: RunSummary): boolean {
  return ok === false && stoppedAt !== undefined && beforeTool.has(stoppedAt)
}

export function RunBadge({ run }: { run: RunSummary }) {
  if (run.state === 'running') return <Badge tone="warn">{say('running')}</Badge>
  if (run.ok) return <Badge tone="ok">{say('ok')}</Badge>
  return (
    <Badge tone="bad">
      {isRefused(run) ? `${say('refused')}: ` : ''}
      {run.errorCode ?? say('failed')}
    </Badge>
  )
}
