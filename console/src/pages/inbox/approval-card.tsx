// A call that waits for a person: who asks, what it may touch, what differs from last time, and the two answers.
import { useState } from 'preact/hooks'
import { ApiError, askJson } from '../../api/client.ts'
import type { InboxItem, PendingApproval } from '../../api/types.ts'
import { DiffView } from '../../parts/diff-view.tsx'
import { JsonText } from '../../parts/json-text.tsx'
import { FenceTable } from '../../parts/permit.tsx'
import { Ago } from '../../parts/time.tsx'
import { announce } from '../../state/notices.ts'
import { outdate } from '../../state/query.ts'
import { linkTo } from '../../state/route.ts'
import { say, type Text } from '../../words/say.ts'
import { ExpiresIn } from './expires-in.tsx'

export type ApprovalItem = Extract<InboxItem, { kind: 'approval' }>

export function ApprovalCard({ item }: { item: ApprovalItem }) {
  const { approval, lastParams } = item
  return (
    <div class="stack">
      <p class="lead">
        {say('{caller} asked', { caller: approval.caller })} <Ago moment={approval.requestedAt} />.{' '}
        <a href={linkTo('threads', approval.runId)}>{say('See the thread')}</a>{' '}
        <ExpiresIn at={approval.expiresAt} />
      </p>
      {item.description && <p class="muted">{item.description}</p>}
      <section class="stack tight">
        <h3>{say('Arguments')}</h3>
        {lastParams === undefined ? (
          <JsonText value={approval.params} label={say('Arguments')} />
        ) : (
          <>
            <p class="muted">{say('Compared with the last call that was approved:')}</p>
            <DiffView label={say('Arguments')} before={lastParams} after={approval.params} showsSame />
          </>
        )}
      </section>
      <Touches item={item} />
      {item.decisions.length > 0 && (
        <section class="stack tight">
          <h3>{say('Decided before')}</h3>
          <ul class="lines plain">
            {item.decisions.map((decision) => (
              <li key={decision.at} class="line">
                <span class="dot" data-state={decision.isApproved ? 'ok' : 'bad'} aria-hidden="true" />
                <span class="grow">{decision.what}</span>
                <span class="muted">
                  <Ago moment={decision.at} />
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
      <Decide pending={approval} />
    </div>
  )
}

function Touches({ item }: { item: ApprovalItem }) {
  const needs = item.requires.length > 0 ? item.requires : item.grants
  return (
    <section class="stack tight">
      <h3>{say('May touch')}</h3>
      <p class="row wrap">
        {needs.map((name) => (
          <code key={name} class="chip">
            {name}
          </code>
        ))}
        {item.secrets.map((name) => (
          <code key={name} class="chip">
            {say('secret')} {name}
          </code>
        ))}
        {needs.length === 0 && item.secrets.length === 0 && <span class="muted">{say('nothing')}</span>}
      </p>
      {item.profile && (
        <details>
          <summary>{say('Network, files, programs')}</summary>
          <FenceTable profile={item.profile} />
        </details>
      )}
      <h3>{say('What it would change')}</h3>
      <p data-final={item.reversibility === 'irreversible' || undefined}>{say(consequenceOf(item))}</p>
    </section>
  )
}

/** What becomes of what it does. */
function consequenceOf({ effects, reversibility }: ApprovalItem): Text {
  if (effects === 'hold') return 'What it writes waits for a second yes, with the difference.'
  if (effects === 'discard') return 'What it writes is thrown away after it was told.'
  return consequences[reversibility ?? 'irreversible']
}

const consequences: { readonly [reversibility in NonNullable<ApprovalItem['reversibility']>]: Text } = {
  'read-only': 'It can only read.',
  reversible: 'What it writes is put in place at once, and can be taken back.',
  external: 'It reaches beyond this machine: what it does there cannot be taken back.',
  irreversible: 'What it changes cannot be taken back.',
}

/** The two answers; whoever comes second is told. */
export function Decide({ pending: { id, tool, digest } }: { pending: PendingApproval }) {
  const [isDenying, setDenying] = useState(false)
  const [reason, setReason] = useState('')
  const [isSent, setSent] = useState(false)
  const decide = async (decision: 'approve' | 'deny', forThread = false) => {
    setSent(true)
    try {
      await askJson(`/api/approvals/${encodeURIComponent(id)}`, {
        method: 'POST',
        // The decision is about what was shown, and about nothing else.
        body: { decision, digest, ...(forThread ? { forThread } : {}), ...(reason ? { reason } : {}) },
      })
      announce(decision === 'approve' ? say('{tool} approved', { tool }) : say('{tool} denied', { tool }))
    } catch (error) {
      const isLate = error instanceof ApiError && error.status === 404
      announce(isLate ? say('Somebody else decided, or the time was over.') : (error as Error).message, true)
      setSent(false)
    }
    outdate('approvals', 'runs')
  }
  return (
    <div class="decide row wrap" data-decide>
      {isDenying ? (
        <form
          class="row grow wrap"
          onSubmit={(event) => {
            event.preventDefault()
            void decide('deny')
          }}
        >
          <input
            class="input grow"
            aria-label={say('Why not; told to the caller')}
            placeholder={say('Why not; told to the caller')}
            value={reason}
            onInput={(event) => setReason(event.currentTarget.value)}
          />
          <button type="submit" class="button danger" disabled={isSent}>
            {say('Deny')}
          </button>
          <button type="button" class="button quiet" onClick={() => setDenying(false)}>
            {say('Back')}
          </button>
        </form>
      ) : (
        <>
          <button
            type="button"
            class="button primary"
            disabled={isSent}
            data-key="a"
            onClick={() => decide('approve')}
          >
            {say('Approve')} <kbd>a</kbd>
          </button>
          <button type="button" class="button" disabled={isSent} onClick={() => decide('approve', true)}>
            {say('Yes for the whole thread')}
          </button>
          <button
            type="button"
            class="button"
            disabled={isSent}
            data-key="d"
            onClick={() => setDenying(true)}
          >
            {say('Deny…')} <kbd>d</kbd>
          </button>
        </>
      )}
    </div>
  )
}
