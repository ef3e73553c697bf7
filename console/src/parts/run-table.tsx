// Runs as a table: what, by whom, how long, how it ended and what was enforced.
import { useState } from 'preact/hooks'
import type { RunSummary } from '../api/types.ts'
import { linkTo } from '../state/route.ts'
import { say, sayMany } from '../words/say.ts'
import { Badge } from './badge.tsx'
import { RowGroups } from './row-groups.tsx'
import { Ago, duration, Elapsed } from './time.tsx'
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
  const line = ({ run, depth }: Line, index: number) => {
    const inner = inside.get(run.runId) ?? []
    return (
      <tr key={run.runId} data-state={run.state} aria-rowindex={index + 2}>
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
              aria-expanded={open.has(run.runId)}
              onClick={() => toggle(run.runId)}
            >
              {sayMany(inner.length, '{n} call inside', '{n} calls inside')}
            </button>
          )}
        </td>
        <td>
          {run.caller} {run.surface !== run.caller && <span class="muted">{run.surface}</span>}
        </td>
        <td class="nowrap number">{run.state ? <Elapsed since={run.startedAt} /> : duration(run.ms)}</td>
        <td>{run.state || run.isRefused ? null : <EnforcementBadge enforcement={run.enforcement} />}</td>
        <td>
          <Ago moment={run.startedAt} />
        </td>
      </tr>
    )
  }
  const lines = linesOf(runs, inside, open)
  return (
    <table class="run-table" aria-rowcount={lines.length + 1}>
      <caption class="unseen">{say('Runs, latest first')}</caption>
      <thead>
        <tr aria-rowindex={1}>
          {chosen && (
            <th scope="col">
              <span class="unseen">{say('Choose')}</span>
            </th>
          )}
          <th scope="col">{say('Outcome')}</th>
          <th scope="col">{hidesTool ? say('Run') : say('Tool')}</th>
          <th scope="col">{say('Caller')}</th>
          <th scope="col" class="number">
            {say('Time')}
          </th>
          <th scope="col">{say('Enforcement')}</th>
          <th scope="col">{say('Started')}</th>
        </tr>
      </thead>
      <RowGroups items={lines} columns={chosen ? 7 : 6}>
        {line}
      </RowGroups>
    </table>
  )
}

interface Line {
  readonly run: RunSummary
  readonly depth: number
}

/** Each run, below it those it called where it is open. */
function linesOf(
  runs: readonly RunSummary[],
  inside: ReadonlyMap<string, readonly RunSummary[]>,
  open: ReadonlySet<string>,
): Line[] {
  const shown = new Set(runs.map(({ runId }) => runId))
  const withInner = (run: RunSummary, depth: number): Line[] => [
    { run, depth },
    ...(open.has(run.runId)
      ? (inside.get(run.runId) ?? []).flatMap((each) => withInner(each, depth + 1))
      : []),
  ]
  return runs
    .filter(({ parent }) => parent === undefined || !shown.has(parent))
    .flatMap((run) => withInner(run, 0))
}

/** The runs that each run called, as far as they are in the list, in the order they began. */
function callsInside(runs: readonly RunSummary[]): ReadonlyMap<string, readonly RunSummary[]> {
  const inside = new Map<string, RunSummary[]>()
  for (const run of runs) if (run.parent !== undefined) inside.set(run.parent, [])
  for (const run of [...runs].reverse()) inside.get(run.parent ?? '')?.push(run)
  return inside
}

export function RunBadge({ run }: { run: RunSummary }) {
  if (run.state === 'running') return <Badge tone="warn">{say('running')}</Badge>
  if (run.ok) return <Badge tone="ok">{say('ok')}</Badge>
  return (
    <Badge tone="bad">
      {run.isRefused ? `${say('refused')}: ` : ''}
      {run.errorCode ?? say('failed')}
    </Badge>
  )
}
