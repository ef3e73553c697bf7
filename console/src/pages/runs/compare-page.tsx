// Two runs side by side: what was asked, what came of it, where the time went, what was enforced and changed.
import { askJson, idPath } from '../../api/client.ts'
import type { RunDetail } from '../../api/types.ts'
import { DiffView } from '../../parts/diff-view.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Heading } from '../../parts/heading.tsx'
import { Loading } from '../../parts/loading.tsx'
import { RunBadge } from '../../parts/run-table.tsx'
import { duration, Moment } from '../../parts/time.tsx'
import { changesBetween, sortedDeep } from '../../parts/value-changes.ts'
import { linkTo, route } from '../../state/route.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import { say } from '../../words/say.ts'
import './runs.css'

const mostChanges = 100
const mostText = 200

export function ComparePage() {
  const ids = route.value.rest.split('/').slice(0, 2)
  const { data, error, reload } = useLoaded(
    (signal) => Promise.all(ids.map((id) => askJson<RunDetail>(`/api/runs/${idPath(id)}`, { signal }))),
    [ids.join()],
  )
  return (
    <div class="page">
      <div class="page-head">
        <Heading>{say('Two runs compared')}</Heading>
      </div>
      {error && <Failure error={error} onRetry={reload} />}
      {!data && !error && <Loading what={say('runs')} lines={8} />}
      {data && data.length < 2 && <p>{say('Choose two runs in the list of runs.')}</p>}
      {data && data.length === 2 && <Comparison one={data[0]!} other={data[1]!} />}
    </div>
  )
}

function Comparison({ one, other }: { one: RunDetail; other: RunDetail }) {
  const parts: readonly (readonly [title: string, of: (run: RunDetail) => unknown])[] = [
    [say('Arguments'), (run) => run.params],
    [say('Result'), resultOf],
    [
      say('Timeline'),
      (run) => run.spans.map((span) => `${span.name}  ${duration(span.endMs - span.startMs)}`).join('\n'),
    ],
    [say('Enforcement'), (run) => run.enforcement],
    [say('File changes'), (run) => run.outcome?.effects ?? null],
  ]
  return (
    <>
      <table class="run-table">
        <caption class="unseen">{say('Two runs compared')}</caption>
        <thead>
          <tr>
            <th scope="col">{say('Run')}</th>
            <th scope="col">{say('Outcome')}</th>
            <th scope="col">{say('Version')}</th>
            <th scope="col">{say('Digest')}</th>
            <th scope="col">{say('Caller')}</th>
            <th scope="col">{say('Total')}</th>
            <th scope="col">{say('Started')}</th>
          </tr>
        </thead>
        <tbody>
          {[one, other].map((run) => (
            <tr key={run.runId}>
              <td>
                <a class="mono" href={linkTo('runs', run.runId)}>
                  {run.tool}
                </a>
              </td>
              <td>
                <RunBadge run={run} />
              </td>
              <td>{run.toolVersion}</td>
              <td class="mono">{run.toolDigest?.slice(0, 12)}</td>
              <td>{run.caller}</td>
              <td class="number">{duration(run.ms)}</td>
              <td>
                <Moment moment={run.startedAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {parts.map(([title, of]) => (
        <section key={title} class="card" aria-label={title}>
          <header>
            <h2>{title}</h2>
          </header>
          <div class="body">
            <Difference title={title} before={sortedDeep(of(one))} after={sortedDeep(of(other))} />
          </div>
        </section>
      ))}
    </>
  )
}

/** What differs, by path; the whole text below for who wants to read it. */
function Difference({ title, before, after }: { title: string; before: unknown; after: unknown }) {
  const label = say('Difference of {field}', { field: title })
  const isText = typeof before === 'string' || typeof after === 'string'
  if (isText) return <DiffView label={label} before={before} after={after} />
  const changes = changesBetween(before, after)
  if (changes.length === 0) return <p class="muted">{say('No difference.')}</p>
  return (
    <div class="stack">
      <ul class="value-changes">
        {changes.slice(0, mostChanges).map((change) => (
          <li key={`${change.path} ${change.before === undefined}`}>
            <code>{change.path}</code>
            {change.before !== undefined && <del>{shortened(change.before)}</del>}
            {change.after !== undefined && <ins>{shortened(change.after)}</ins>}
          </li>
        ))}
        {changes.length > mostChanges && (
          <li class="muted">{say('{n} more', { n: changes.length - mostChanges })}</li>
        )}
      </ul>
      <DiffView label={label} before={before} after={after} />
    </div>
  )
}

function shortened(text: string): string {
  return text.length > mostText ? `${text.slice(0, mostText)}…` : text
}

function resultOf({ outcome }: RunDetail): unknown {
  if (!outcome) return null
  return outcome.ok ? outcome.value : outcome.error
}
