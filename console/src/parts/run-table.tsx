// Runs as a table: what, by whom, how long, how it ended and what was enforced.
import type { RunSummary } from '../api/types.ts'
import { linkTo } from '../state/route.ts'
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
              <a class="mono" href={linkTo('runs', run.runId)}>
                {hidesTool ? run.runId.slice(0, 18) : run.tool}
              </a>
            </td>
            <td>
              {run.caller} {run.surface !== run.caller && <span class="muted">{run.surface}</span>}
            </td>
            <td class="nowrap number">{run.state ? '…' : duration(run.ms)}</td>
            <td>{run.state ? null : <EnforcementBadge enforcement={run.enforcement} />}</td>
            <td>
              <Ago moment={run.startedAt} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

export function RunBadge({ run }: { run: RunSummary }) {
  if (run.state === 'running') return <Badge tone="info">running</Badge>
  return run.ok ? <Badge tone="ok">ok</Badge> : <Badge tone="bad">{run.errorCode ?? 'failed'}</Badge>
}
