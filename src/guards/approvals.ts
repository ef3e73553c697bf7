// Calls that wait for a person. A surface where somebody can be asked attends; while none does, a call that
// needs approval is refused at once instead of waiting for nobody.

import { randomUUID } from 'node:crypto'
import { EventEmitter } from 'node:events'
import type { Call } from '../kernel/call.ts'
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
}

interface Waiting {
  readonly pending: PendingApproval
  settle(decision: Decision): void
}

export class Approvals extends EventEmitter<{
  requested: [PendingApproval]
  decided: [PendingApproval, Decision]
}> {
  readonly #timeoutMs: () => number
  readonly #waiting = new Map<string, Waiting>()
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
    waiting?.settle(decision)
    return waiting !== undefined
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
    const timeoutMs = this.#timeoutMs()
    const pending: PendingApproval = {
      id: randomUUID(),
      runId: call.id,
      tool: call.tool.id,
      params: call.params,
      caller: call.principal.name,
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
    return decision
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
        settle: (decision) => {
          leave()
          resolve(decision)
        },
      })
      this.emit('requested', pending)
    })
  }
}
