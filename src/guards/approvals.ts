// Calls that wait for a person. A surface where somebody can be asked attends; while none does, a call that
// needs approval is refused at once instead of waiting for nobody.

import { randomUUID } from 'node:crypto'
import { EventEmitter } from 'node:events'
import type { Call } from '../kernel/call.ts'
import { isPlainObject, jsonDigest } from '../tool/json.ts'
import { identityOf, type Principal } from '../tool/principal.ts'
import { structuredCloneJson } from '../tool/schema/validate.ts'
import type { Static } from '../tool/shape.ts'
import { stopError } from '../tool/stoppable.ts'
import { ToolError } from '../tool/tool-error.ts'
import type { approvalShape } from './approval-shape.ts'

/** A question that waits for its answer. */
export interface PendingApproval extends Static<typeof approvalShape> {}

export interface Decision {
  readonly decision: 'approve' | 'deny'
  readonly reason?: string
  /** Who decided. */
  readonly by: string
  /** What was decided about, as the question told it; another one is refused. */
  readonly digest?: string | undefined
  /** The yes also counts for later calls of the same tool by the same principal in the same thread. */
  readonly forThread?: boolean | undefined
}

/** What a yes is for: this tool, these arguments, this principal. */
interface Subject {
  readonly tool: string
  readonly params: unknown
  readonly principal: Principal
}

/** Of one asker and of all: nobody reads more, and one asker must leave some to the others (G22). */
export const maxWaitingOf = 100
const maxWaiting = 1_000
const maxTicketsOf = 100
const maxTickets = 1_000
const maxThreads = 1_000

interface Waiting {
  readonly pending: PendingApproval
  readonly asker: string
  settle(decision: Decision): void
}

interface Ticket {
  readonly asker: string
  readonly digest: string
  readonly untilMs: number
}

export class Approvals extends EventEmitter<{
  requested: [PendingApproval]
  decided: [PendingApproval, Decision]
}> {
  readonly #timeoutMs: () => number
  readonly #waiting = new Map<string, Waiting>()
  /** Questions put outside this queue, by ticket: what each was about and until when it counts. */
  readonly #tickets = new Map<string, Ticket>()
  /** Who said yes for a whole thread. */
  readonly #threads = new Map<string, string>()
  /** What was agreed to, for the one call it was agreed for. */
  readonly #agreed = new WeakMap<Call, string>()
  #attending = 0

  constructor(timeoutMs: () => number) {
    super()
    this.#timeoutMs = timeoutMs
  }

  /** Says that somebody can be asked; the function given back ends that. */
  attend(): () => void {
    this.#attending++
    let isAttending = true
    return () => {
      if (isAttending) this.#attending--
      isAttending = false
    }
  }

  /** Questions without an answer yet, oldest first. */
  get pending(): readonly PendingApproval[] {
    return [...this.#waiting.values()].map((waiting) => waiting.pending)
  }

  /** Answers a question; false when there is none of that id. */
  decide(id: string, decision: Decision): boolean {
    const waiting = this.#waiting.get(id)
    if (waiting && decision.digest !== undefined && decision.digest !== waiting.pending.digest)
      throw new ToolError('CONFLICT', `The question ${id} is about something else than what was decided.`, {
        hint: 'Read it again with GET /api/approvals and decide about what it says now.',
      })
    waiting?.settle(decision)
    return waiting !== undefined
  }

  /** A ticket for a question that a client puts to its user: good once, for exactly this, for as long as a call waits. */
  issue(subject: Subject): string {
    const ticket = randomUUID()
    const asker = identityOf(subject.principal)
    this.#tickets.set(ticket, { asker, digest: digestOf(subject), untilMs: Date.now() + this.#timeoutMs() })
    const [oldest] = this.#tickets.keys()
    const own = [...this.#tickets].filter(([, each]) => each.asker === asker)
    if (own.length > maxTicketsOf) this.#tickets.delete(own[0]![0])
    else if (this.#tickets.size > maxTickets) this.#tickets.delete(oldest!)
    return ticket
  }

  /** Takes a ticket back; false when it was never issued, was used, is too old, or was for something else. */
  redeem(ticket: unknown, subject: Subject): boolean {
    const issued = this.#tickets.get(String(ticket))
    this.#tickets.delete(String(ticket))
    return issued !== undefined && issued.untilMs > Date.now() && issued.digest === digestOf(subject)
  }

  /** A person agreed to this call with the arguments it has now. */
  agree(call: Call): void {
    this.#agreed.set(call, digestOf(subjectOf(call)))
  }

  /** Who agreed to all calls of this tool in the thread of this call, if anybody did. */
  agreedForThread(call: Call): string | undefined {
    return this.#threads.get(threadKey(call))
  }

  /** Throws where a person agreed to other arguments than those that are about to run (G25). */
  demandAgreed(call: Call): void {
    const agreed = this.#agreed.get(call)
    if (agreed === undefined) return
    // From here on nobody else holds them.
    call.params = structuredCloneJson(call.params)
    if (agreed === digestOf(subjectOf(call))) return
    throw new ToolError(
      'APPROVAL_DENIED',
      `${call.tool.id} does not run: its arguments changed after they were approved.`,
      { hint: 'Middleware that changes arguments must stand before the approval.' },
    )
  }

  /** Throws APPROVAL_DENIED where nobody can be asked. */
  refuseUnattended({ tool }: Call): void {
    if (this.#attending > 0) return
    const message = `${tool.id} must be approved by a person, and nobody can be asked here.`
    throw new ToolError('APPROVAL_DENIED', message, {
      hint: `Run it with --approve (\`toolcrib run ${tool.id} --approve\`), or through \`toolcrib serve\`, where it can be approved.`,
    })
  }

  /** Waits for the decision on a call; throws APPROVAL_DENIED, or the reason the call was stopped for. */
  async ask(call: Call): Promise<Decision> {
    this.refuseUnattended(call)
    this.#refuseTooMany(call)
    const timeoutMs = this.#timeoutMs()
    const digest = digestOf(subjectOf(call))
    const pending: PendingApproval = {
      id: randomUUID(),
      runId: call.id,
      tool: call.tool.id,
      // As it is now: whoever made the call may hold the same object.
      params: structuredCloneJson(call.params),
      caller: call.principal.name,
      digest,
      requestedAt: new Date().toISOString(),
      expiresAt: new Date(Date.now() + timeoutMs).toISOString(),
    }
    const decision = await this.#answer(call, pending, timeoutMs)
    this.emit('decided', pending, decision)
    call.log('info', `${decision.decision === 'approve' ? 'Approved' : 'Denied'} by ${decision.by}`)
    if (decision.decision === 'deny') {
      throw new ToolError(
        'APPROVAL_DENIED',
        `${call.tool.id} was not approved by ${decision.by}${decision.reason ? `: ${decision.reason}` : ''}.`,
      )
    }
    if (digestOf(subjectOf(call)) !== digest)
      throw new ToolError('APPROVAL_DENIED', `The arguments of ${call.tool.id} changed while it waited.`)
    if (decision.forThread) this.#keepForThread(call, decision.by)
    return decision
  }

  #keepForThread(call: Call, by: string): void {
    this.#threads.set(threadKey(call), by)
    const [oldest] = this.#threads.keys()
    if (this.#threads.size > maxThreads) this.#threads.delete(oldest!)
  }

  /** What waits is held in memory and read by a person. */
  #refuseTooMany({ tool, principal }: Call): void {
    const asker = identityOf(principal)
    const own = [...this.#waiting.values()].filter((each) => each.asker === asker).length
    if (own < maxWaitingOf && this.#waiting.size < maxWaiting) return
    const whose = own < maxWaitingOf ? 'calls' : `calls of ${principal.name}`
    throw new ToolError('BUSY', `${tool.id} is not asked about: too many ${whose} wait for a person.`, {
      hint: 'Have those decided first, or cancel them.',
      retryable: true,
    })
  }

  #answer(call: Call, pending: PendingApproval, timeoutMs: number): Promise<Decision> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer)
        this.#waiting.delete(pending.id)
      }
      const timer = setTimeout(() => {
        leave()
        reject(
          new ToolError('APPROVAL_DENIED', `Nobody approved ${call.tool.id} within ${timeoutMs} ms.`, {
            hint: 'Ask again, or raise approvals.timeoutMs.',
            retryable: true,
          }),
        )
      }, timeoutMs)
      call.onAbort((reason) => {
        leave()
        reject(stopError(reason))
      })
      if (call.isAborted) return
      this.#waiting.set(pending.id, {
        pending,
        asker: identityOf(call.principal),
        settle: (decision) => {
          leave()
          resolve(decision)
        },
      })
      this.emit('requested', pending)
    })
  }
}

function subjectOf({ tool, params, principal }: Call): Subject {
  return { tool: tool.id, params, principal }
}

/** This tool as it is now, this principal, this story: the chain of an event, or else the outermost call. */
function threadKey(call: Call): string {
  let top = call
  while (top.options.parent) top = top.options.parent
  const { trigger } = top.options
  const causation = isPlainObject(trigger) ? trigger['causation'] : undefined
  const root = isPlainObject(causation) ? causation['root'] : undefined
  const { id, source } = call.tool
  return JSON.stringify([id, source.digest ?? null, identityOf(call.principal), root ?? top.id])
}

function digestOf({ tool, params, principal }: Subject): string {
  try {
    return jsonDigest([tool, params ?? null, identityOf(principal)])
  } catch {
    throw new ToolError('APPROVAL_DENIED', `The arguments of ${tool} cannot be shown to a person.`, {
      hint: 'Pass plain data.',
    })
  }
}
