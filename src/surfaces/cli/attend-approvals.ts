// The person at the terminal decides on calls that need approval, also those an agent makes on the way.
import type { Crib } from '../../crib/crib.ts'
import type { PendingApproval } from '../../guards/approvals.ts'
import type { Session } from './session.ts'
import { plain } from './style.ts'

/**
 * Answers questions until the function given back is called; `clear` runs each with the terminal free for it. With
 * nobody to ask, calls are refused at once.
 */
export function attendApprovals(
  crib: Crib,
  session: Session,
  clear: (question: () => Promise<void>) => Promise<void>,
): () => void {
  if (!session.yes && !session.mayAsk) return () => {}
  const leave = crib.approvals.attend()
  // One question at a time, in the order they came.
  let line: Promise<void> = Promise.resolve()
  const onRequest = (pending: PendingApproval) => {
    line = line.then(() =>
      clear(async () => {
        const answer = session.yes || (await ask(pending, session))
        if (answer === 'interrupted') return
        const by = session.principal.name
        crib.approvals.decide(pending.id, { decision: answer ? 'approve' : 'deny', by })
      }),
    )
  }
  crib.approvals.on('requested', onRequest)
  return () => {
    crib.approvals.off('requested', onRequest)
    leave()
  }
}

/** Longer parameters stand above the question, where they scroll and are not drawn anew with every key. */
const shortParams = 60

async function ask({ tool, params }: PendingApproval, session: Session): Promise<boolean | 'interrupted'> {
  const { confirm } = await import('@clack/prompts')
  const short = plain(JSON.stringify(params) ?? 'nothing')
  const isLong = short.length > shortParams
  if (isLong) session.fail(plain(JSON.stringify(params, null, 2)))
  // The question reads keys itself, so that Ctrl-C comes as a key and not as a signal.
  let isInterrupted = false
  const onKey = (_text: unknown, key?: { readonly ctrl?: boolean; readonly name?: string }) => {
    if (key?.ctrl && key.name === 'c') isInterrupted = true
  }
  process.stdin.on('keypress', onKey)
  try {
    const answer = await confirm({
      message: `Let ${plain(tool)} run with ${isLong ? 'these parameters' : short}?`,
      initialValue: false,
      output: process.stderr,
      signal: session.signal,
    })
    if (!isInterrupted) return answer === true
  } finally {
    process.stdin.off('keypress', onKey)
  }
  process.kill(process.pid, 'SIGINT')
  return 'interrupted'
}
