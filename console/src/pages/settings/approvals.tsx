// Calls that wait for a person: what would be done, for whom, and the decision.
import { useState } from 'preact/hooks'
import { type ApiError, askJson } from '../../api/client.ts'
import type { PendingApproval } from '../../api/types.ts'
import { Empty } from '../../parts/empty.tsx'
import { Failure } from '../../parts/failure.tsx'
import { JsonText } from '../../parts/json-text.tsx'
import { Ago } from '../../parts/time.tsx'
import { approvals } from '../../state/live.ts'
import { announce } from '../../state/notices.ts'
import { linkTo } from '../../state/route.ts'

export function Approvals() {
  if (approvals.value.length === 0)
    return (
      <Empty title="Nothing waits for approval" icon="check">
        <p>
          Calls of tools that <code>approve</code> in <code>toolcrib.yaml</code> names wait here for a person.
        </p>
      </Empty>
    )
  return (
    <ul class="stack" aria-label="Calls that wait">
      {approvals.value.map((pending) => (
        <Pending key={pending.id} pending={pending} />
      ))}
    </ul>
  )
}

function Pending({ pending }: { pending: PendingApproval }) {
  const [reason, setReason] = useState('')
  const [error, setError] = useState<ApiError | null>(null)
  const decide = async (decision: 'approve' | 'deny') => {
    try {
      await askJson(`/api/approvals/${pending.id}`, {
        method: 'POST',
        body: { decision, ...(reason.trim() ? { reason: reason.trim() } : {}) },
      })
      announce(decision === 'approve' ? 'Approved' : 'Denied')
    } catch (thrown) {
      setError(thrown as ApiError)
    }
  }
  return (
    <li class="card">
      <header>
        <h2>
          <a href={linkTo('tools', pending.tool)}>{pending.tool}</a>
        </h2>
        <span class="muted">
          asked by {pending.caller} <Ago moment={pending.requestedAt} />, gives up{' '}
          <Ago moment={pending.expiresAt} />
        </span>
      </header>
      <div class="body stack">
        {error && <Failure error={error} />}
        <JsonText value={pending.params} label={`Parameters for ${pending.tool}`} />
        <div class="row wrap">
          <input
            class="input short"
            aria-label="Reason"
            placeholder="reason (optional)"
            value={reason}
            onInput={(event) => setReason(event.currentTarget.value)}
          />
          <button type="button" class="button primary" onClick={() => decide('approve')}>
            Approve
          </button>
          <button type="button" class="button danger" onClick={() => decide('deny')}>
            Deny
          </button>
        </div>
      </div>
    </li>
  )
}
