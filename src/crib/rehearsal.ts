// A throw-away store for calls that only try a tool out, such as its examples: it holds what the files hold, and is
// gone afterwards. It is opened by the first call that reaches for it.
import type { Call } from '../kernel/call.ts'
import type { Broker } from '../runtimes/deno/broker.ts'
import type { OpenBreadcrumbs } from './open-breadcrumbs.ts'

export class Rehearsal {
  readonly broker: Broker = {
    open: async (run) => {
      this.#opened ??= this.#open()
      return (await this.#opened).broker.open(run)
    },
  }
  readonly #open: () => Promise<OpenBreadcrumbs>
  #opened: Promise<OpenBreadcrumbs> | null = null

  constructor(open: () => Promise<OpenBreadcrumbs>) {
    this.#open = open
  }

  async close(): Promise<void> {
    await (await this.#opened?.catch(() => null))?.store.close()
  }
}

/** The rehearsal that a call, or one it was made from, is part of. */
export function rehearsalOf(call: Call): Rehearsal | null {
  for (let at: Call | null = call; at; at = at.parent)
    if (at.options.rehearsal instanceof Rehearsal) return at.options.rehearsal
  return null
}
