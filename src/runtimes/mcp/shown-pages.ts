// The pages of a server that clients were asked to show to a person: each hears when what happens there has ended
// (`notifications/elicitation/complete` of 2025-11-25).
import { isPlainObject } from '../../tool/json.ts'
import type { Caller } from './ask-caller.ts'

const maxPages = 256

export class ShownPages {
  readonly #callers = new Map<string, Caller>()

  /** A question that a caller is asked; those without a page are no matter of this. */
  shown(question: unknown, caller: Caller): void {
    if (!isPlainObject(question) || question['mode'] !== 'url') return
    const { elicitationId: id } = question
    if (typeof id !== 'string') return
    if (this.#callers.size >= maxPages) this.#callers.delete(this.#callers.keys().next().value!)
    this.#callers.set(id, caller)
  }

  /** A call that failed because pages must be seen before. */
  wanted(error: unknown, caller: Caller): void {
    const data =
      isPlainObject(error) || error instanceof Error ? (error as { data?: unknown }).data : undefined
    const pages = isPlainObject(data) ? data['elicitations'] : undefined
    for (const page of Array.isArray(pages) ? pages.slice(0, maxPages) : []) this.shown(page, caller)
  }

  ended(id: string): void {
    this.#callers.get(id)?.elicited(id)
    this.#callers.delete(id)
  }

  forget(): void {
    this.#callers.clear()
  }
}
