// What changed in a tool and what that could do, before anybody says yes.
import { useState } from 'preact/hooks'
import { askJson, idPath } from '../../api/client.ts'
import type { ChangeSets, Review, ToolDescription } from '../../api/types.ts'
import { ChangesPanel } from '../../parts/changes-panel.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Heading } from '../../parts/heading.tsx'
import { Loading } from '../../parts/loading.tsx'
import { PatchView } from '../../parts/patch-view.tsx'
import { FenceTable } from '../../parts/permit.tsx'
import { Ago } from '../../parts/time.tsx'
import { isAdmin } from '../../state/live.ts'
import { announce } from '../../state/notices.ts'
import { outdate, useQuery } from '../../state/query.ts'
import { goTo, linkTo, route } from '../../state/route.ts'
import { count, say, sayMany } from '../../words/say.ts'
import { CapabilityTable } from '../tool/capability-table.tsx'
import { WordDiff } from './word-diff.tsx'
import './review.css'

export function ReviewPage() {
  const id = route.value.rest
  const { data, error, reload } = useQuery<Review>(`/api/review/${idPath(id)}`, ['catalog'])
  const { data: about } = useQuery<ToolDescription>(`/api/tools/${idPath(id)}`, ['catalog'])
  if (error && !data)
    return (
      <div class="page">
        <Heading isMono>{id}</Heading>
        <Failure error={error} onRetry={reload} />
      </div>
    )
  if (!data) return <Loading what={id} lines={8} isPage />
  return (
    <div class="page">
      <div class="page-head">
        <Heading isMono>{data.tool}</Heading>
        <span
          class="badge"
          data-tone={data.risk === 'high' ? 'bad' : data.risk === 'none' ? 'plain' : 'warn'}
        >
          {say(`risk: ${data.risk}`)}
        </span>
        <p>
          {sayMany(
            data.changes.length,
            '{n} difference from what was approved',
            '{n} differences from what was approved',
          )}
        </p>
      </div>
      <div class="review">
        <section class="stack" aria-label={say('Changes')}>
          {data.changes.length === 0 && <p class="muted">{say('Nothing differs from what was approved.')}</p>}
          {data.changes.map((change) => (
            <article key={change.field} class="change">
              <header class="row wrap">
                <h2 class="mono">{change.field}</h2>
                <span class="badge" data-tone={change.risk === 'high' ? 'bad' : 'warn'}>
                  {say(`risk: ${change.risk}`)}
                </span>
                <span class="muted">{change.what}</span>
              </header>
              {change.diff === undefined ? (
                <WordDiff before={change.before} after={change.after} label={change.field} />
              ) : change.diff.startsWith('diff ') ? (
                <PatchView diff={change.diff} />
              ) : (
                <p class="muted">{change.diff}</p>
              )}
            </article>
          ))}
          {data.changes.length > 0 && <Accept review={data} />}
          {isAdmin.value && <FileChanges tool={data.tool} />}
          {about && <CapabilityTable description={about} />}
        </section>
        <aside class="stack" aria-label={say('What it could do')}>
          <section class="stack tight">
            <h2>{say('May touch')}</h2>
            <p class="row wrap">
              {(data.requires ?? data.grants).map((name) => (
                <code key={name} class="chip">
                  {name}
                </code>
              ))}
              {data.secrets.map((name) => (
                <code key={name} class="chip">
                  {say('secret')} {name}
                </code>
              ))}
              {data.requires === null && <span class="muted">{say('not stated; gets what is granted')}</span>}
            </p>
            <FenceTable profile={data.profile} />
          </section>
          <section class="stack tight">
            <h2>{say('Reach')}</h2>
            <dl class="facts">
              <dt>{say('Tokens')}</dt>
              <dd>{data.reach.tokens.join(', ') || say('none')}</dd>
              <dt>{say('Events')}</dt>
              <dd>{data.reach.subscriptions.join(', ') || say('none')}</dd>
              <dt>{say('Runs of 7 days')}</dt>
              <dd>
                {count(data.reach.runs)}
                {data.reach.failed > 0 && `, ${say('{n} failed', { n: data.reach.failed })}`}
              </dd>
              <dt>{say('Callers')}</dt>
              <dd>
                {data.reach.callers.map(({ name, count: n }) => `${name} (${count(n)})`).join(', ') ||
                  say('none')}
              </dd>
              <dt>{say('Signature')}</dt>
              <dd>
                {say(data.trust.status)} {data.trust.owner}
              </dd>
            </dl>
          </section>
        </aside>
      </div>
    </div>
  )
}

/** What the tool did to the files: what waits for a decision, and the last that can be taken back (E9). */
function FileChanges({ tool }: { tool: string }) {
  const { data } = useQuery<{ changes: ChangeSets }>(
    `/api/changes?${new URLSearchParams({ tool, limit: '20' })}`,
    ['runs', 'approvals'],
  )
  const sets = data?.changes ?? []
  const last = sets.find(({ state, undoneBy }) => state === 'committed' && undoneBy === undefined)
  return (
    <>
      {sets
        .filter((set) => set.state === 'held' || set === last)
        .map(({ run, at }) => (
          <article key={run} class="change">
            <header class="row wrap">
              <h2>{say('File changes')}</h2>
              <a class="muted" href={linkTo('runs', run)}>
                <Ago moment={at} />
              </a>
            </header>
            <ChangesPanel runId={run} />
          </article>
        ))}
    </>
  )
}

/** A high risk is accepted by writing the tool's name. */
function Accept({ review }: { review: Review }) {
  const [typed, setTyped] = useState('')
  const isGuarded = review.risk === 'high'
  const accept = async (event: Event) => {
    event.preventDefault()
    try {
      await askJson(`/api/drift/${idPath(review.tool)}/approve`, {
        method: 'POST',
        body: { digest: review.digest },
      })
      announce(say('{tool} accepted', { tool: review.tool }))
      outdate('catalog', 'approvals')
      goTo(linkTo('inbox'))
    } catch (error) {
      announce((error as Error).message, true)
    }
  }
  return (
    <form class="row wrap accept" onSubmit={accept}>
      {isGuarded && (
        <label class="stack tight grow">
          <span>{say('The risk is high. Write the name of the tool to accept it.')}</span>
          <input
            class="input mono"
            autocomplete="off"
            placeholder={review.tool}
            value={typed}
            onInput={(event) => setTyped(event.currentTarget.value)}
          />
        </label>
      )}
      <button type="submit" class="button primary" disabled={isGuarded && typed !== review.tool}>
        {say('Accept {tool}', { tool: review.tool })}
      </button>
    </form>
  )
}
