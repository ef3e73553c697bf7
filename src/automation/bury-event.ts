// What is kept of an event that a tool could not be run for? A dead letter, once.
import { type CrumbEvent, defaultWorkspace } from '../store/crumb.ts'
import { cribPrincipal } from '../tool/principal.ts'
import { type DeadLetter, deadLetter, type EngineParts, principalAfter } from './engine.ts'

/** A letter that may have been stored before is not stored twice within this time. */
const letterKeyMs = 60 * 60_000

export type EventLetter = Pick<DeadLetter, 'requestId' | 'code' | 'message' | 'attempts'> &
  Partial<DeadLetter>

interface Buried {
  readonly tool: string
  readonly workspace: string | undefined
  readonly letter: EventLetter
  /** The event and the run it was meant to cause; absent: it is about many events. */
  readonly cause: { readonly event: CrumbEvent; readonly run: string } | undefined
}

export async function buryEvent(
  parts: EngineParts,
  { tool, workspace = defaultWorkspace, letter, cause }: Buried,
): Promise<void> {
  const now = parts.clock.now()
  const draft = deadLetter({ firstAtMs: now, lastAtMs: now, workspace, ...letter, tool })
  const principal = cause
    ? principalAfter(cause.event, { tool, run: cause.run }, parts)
    : { ...cribPrincipal, tool }
  await parts.store.crumbs.create(draft, principal, {
    unique: { scope: 'letter', key: `${letter.requestId} ${letter.code}`, expiresMs: now + letterKeyMs },
  })
}
