// Many servers ask for the folders of their client once, when they have started, and keep the answer. Then the crib only
// lists what they offer, and nobody is there who has folders. The first call of somebody who has tells such a server that
// the folders changed, and goes on when it has asked again (U2).
import type { Client } from '@modelcontextprotocol/client'
import { onAbort } from '../../tool/on-abort.ts'
import type { Caller, QuestionMethod } from './ask-caller.ts'

const answerMs = 2_000

export class OwedRoots {
  #isOwed = false
  #given: Promise<unknown> | undefined

  /** Sees how a question is answered: at once where there is nobody to ask. */
  watch<Answer>(method: QuestionMethod, answer: Answer): Answer {
    if (method === 'roots/list') {
      if (answer instanceof Promise) this.#given = answer
      else this.#isOwed = true
    }
    return answer
  }

  /** For a call that is the only one under way: what the server asks now is answered by its caller. */
  async settle(client: Client, caller: Caller, signal: AbortSignal): Promise<void> {
    if (!this.#isOwed || !caller.capabilities.roots || client.getProtocolEra() !== 'legacy') return
    this.#isOwed = false
    const ping = () => client.ping({ signal, timeout: answerMs }).catch(() => {})
    await client.sendRootsListChanged().catch(() => {})
    // Its question comes before its answer to this, and it has read ours when it answers the next.
    await ping()
    if (!this.#given) return
    await Promise.race([
      this.#given.catch(() => {}),
      new Promise<void>((resolve) => onAbort(signal, resolve)),
    ])
    this.#given = undefined
    await ping()
  }
}
