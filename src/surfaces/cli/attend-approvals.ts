// The person at the terminal decides on calls that need approval, also those an agent makes on the way.
import type { Crib } from '../../crib.ts'
import type { PendingApproval } from '../../guards/approvals.ts'
import type { Session } from './session.ts'
import { plain } from './style.ts'

/** Answers questions until the function given back is called. With nobody to ask, calls are refused at once. */
export function attendApprovals(crib: Crib, session: Session, pause: () => void): () => void {
  if (!session.yes && !session.mayAsk) return () => {}
  const leave = crib.approvals.attend()
  // One question at a time, in the order they came.
  let line: Promise<void> = Promise.resolve()
  const onRequest = (pending: PendingApproval) => {
    line = line.then(async () => {
      pause()
      const isApproved = session.yes || (await ask(pending, session.signal))
      const by = session.caller.name ?? 'user'
      crib.approvals.decide(pending.id, { decision: isApproved ? 'approve' : 'deny', by })
    })
  }
  crib.approvals.on('requested', onRequest)
  return () => {
    crib.approvals.off('requested', onRequest)
    leave()
  }
}

async function ask({ tool, params }: PendingApproval, signal: AbortSignal): Promise<boolean> {
  const { confirm } = await import('@clack/prompts')
  const answer = await confirm({
    message: `Let ${plain(tool)} run with ${plain(JSON.stringify(params) ?? 'nothing')}?`,
    initialValue: false,
    output: process.stderr,
    signal,
  })
  return answer === true
}
