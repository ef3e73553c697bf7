// A layer that is made while the process of the call before runs, so that the next call does not wait for it. Who asked
// twice will ask again: a command that makes one call makes one layer.
import { randomUUID } from 'node:crypto'
import { givenTo, type Layer, makeLayer, removeLayer } from './layer.ts'

export class SpareLayer {
  readonly #project: string
  #waiting: { readonly state: string; readonly layer: Layer } | undefined
  #asked: string | undefined
  #isClosed = false

  constructor(project: string) {
    this.#project = project
  }

  /** The layer of a run, kept below `state`. */
  take(run: string, state: string): Layer {
    const waiting = this.#waiting
    if (this.#asked === state) setImmediate(() => this.#prepare(state))
    this.#asked = state
    if (waiting?.state === state) {
      this.#waiting = undefined
      try {
        return givenTo(run, waiting.layer)
      } catch {
        // Removed by hand, or the run has one: making it says which.
        removeLayer(waiting.layer)
      }
    }
    return makeLayer({ project: this.#project, run, state })
  }

  close(): void {
    this.#isClosed = true
    if (this.#waiting) removeLayer(this.#waiting.layer)
    this.#waiting = undefined
  }

  #prepare(state: string): void {
    if (this.#isClosed || this.#waiting) return
    try {
      this.#waiting = {
        state,
        layer: makeLayer({ project: this.#project, run: `spare-${randomUUID()}`, state }),
      }
    } catch {
      // A full disk: the call that needs one says so.
    }
  }
}
