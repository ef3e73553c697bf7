// Runs as a table: what, by whom, how long, how it ended and what was enforced.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { RunSummary } from '../api/types.ts'
import { linkTo } from '../state/route.ts'
import { say, sayMany } from '../words/say.ts'
import { Badge } from './badge.tsx'
import { Ago, duration } from './time.tsx'
import { EnforcementBadge } from './tool-badges.tsx'

interface RunTableProps {
  readonly runs: readonly RunSummary[]
  readonly hidesTool?: boolean
  /** The runs that are chosen, to be compared; absent: none can be. */
  readonly chosen?: readonly string[]
  onChoose?(runId: string): void
}

export function RunTable({ runs, hidesTool = false, chosen, onChoose }: RunTableProps) {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const inside = callsInside(runs)
  const toggle = (id: string) => {
    const next = new Set(open)
    if (!next.delete(id)) next.add(id)
    setOpen(next)
  }
  const rows = (run: RunSummary, depth: number): ComponentChildren[] => {
    const inner = inside.get(run.runId) ?? []
    const isOpen = open.has(run.runId)
    return [
      <tr key={run.runId} data-state={run.state}>
        {chosen && (
          <td>
            <input
              type="checkbox"
              aria-label={say('Choose run {id} of {tool}', { id: run.runId.slice(0, 18), tool: run.tool })}
              checked={chosen.includes(run.runId)}
              onChange={() => onChoose?.(run.runId)}
            />
          </td>
        )}
        <td>
          <RunBadge run={run} />
        </td>
        <td class="run-name" style={{ paddingLeft: depth === 0 ? undefined : `${depth * 1.5}rem` }}>
          <a class="mono" href={linkTo('runs', run.runId)} data-row>
            {hidesTool ? run.runId.slice(0, 18) : run.tool}
          </a>
          {inner.length > 0 && (
            <button
              type="button"
              class="button small quiet"
              aria-expanded={isOpen}
              onClick={() => toggle(run.runId)}
            >
              {sayMany(inner.length, '{n} call inside', '{n} calls inside')}
            </button>
          )}
        </td>
        <td>
          {run.caller} {run.surface !== run.caller && <span class="muted">{run.surface}</span>}
        </td>
        <td class="nowrap number">{run.state ? '…' : duration(run.ms)}</td>
        <td>{run.state || isRefused(run) ? null : <EnforcementBadge enforcement={run.enforcement} />}</td>
        <td>
          <Ago moment={run.startedAt} />
        </td>
      </tr>,
      ...(isOpen ? inner.flatMap((each) => rows(each, depth + 1)) : []),
    ]
  }
  const shown = new Set(runs.map(({ runId }) => runId))
  return (
    <table class="run-table">
      <caption class="unseen">{say('Runs, latest first')}</caption>
      <thead>
        <tr>
          {chosen && (
            <th scope="col">
              <span class="unseen">{say('Choose')}</span>
            </th>
          )}
          <th scope="col">{say('Outcome')}</th>
          <th scope="col">{hidesTool ? say('Run') : say('Tool')}</th>
          <th scope="col">{say('Caller')}</th>
          <th scope="col">{say('Time')}</th>
          <th scope="col">{say('Enforcement')}</th>
          <th scope="col">{say('Started')}</th>
        </tr>
      </thead>
      <tbody>
        {runs
          .filter(({ parent }) => parent === undefined || !shown.has(parent))
          .flatMap((run) => rows(run, 0))}
      </tbody>
    </table>
  )
}

/** The runs that each run called, as far as they are in the list, in the order they began. */
function callsInside(runs: readonly RunSummary[]): ReadonlyMap<string, readonly RunSummary[]> {
  const inside = new Map<string, RunSummary[]>()
  for (const run of runs) if (run.parent !== undefined) inside.set(run.parent, [])
  for (const run of [...runs].reverse()) inside.get(run.parent ?? '')?.push(run)
  return inside
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
