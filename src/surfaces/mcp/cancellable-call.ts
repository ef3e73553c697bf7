// A call that can be stopped from the moment it is asked for: before the kernel knows it, the wish is kept.
import type { Call } from '../../kernel/call.ts'
import { ToolError } from '../../tool/tool-error.ts'

export class CancellableCall {
  #call: Call | undefined
  #reason: ToolError | undefined

  /** The call, once it is made. */
  readonly onPrepared = (call: Call): void => {
    this.#call = call
    if (this.#reason) call.abort(this.#reason)
  }

  get isStopped(): boolean {
    return this.#reason !== undefined
  }

  /** Stops it, whether it runs already or not; the first reason counts. */
  stop(why: string): void {
    this.#reason ??= new ToolError('CANCELLED', why)
    this.#call?.abort(this.#reason)
  }
}
