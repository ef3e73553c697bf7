// Whether this node should get requests: it is not closing, and its store and bus answer.
import type { Crib } from '../../crib/crib.ts'

/** A store that does not answer within this time is not ready. */
const patienceMs = 3_000

/** What is asked without a token is worked out at most this often. */
const keepMs = 1_000

/** Why a node is not ready, by part; empty when it is. */
type Faults = { readonly [part: string]: string }

export class Readiness {
  readonly #crib: Crib
  readonly #isDraining: () => boolean
  #asked: { readonly atMs: number; readonly isWell: Promise<boolean> } | null = null

  constructor(crib: Crib, isDraining: () => boolean) {
    this.#crib = crib
    this.#isDraining = isDraining
  }

  /** True once the server drains: not ready for more. */
  get isDraining(): boolean {
    return this.#isDraining()
  }

  async faults(): Promise<Faults> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<Faults>((resolve) => {
      timer = setTimeout(resolve, patienceMs, {
        store: `The store or the bus did not answer within ${patienceMs} ms.`,
      })
    })
    try {
      return await Promise.race([this.#crib.crumbs.faults(), late])
    } finally {
      clearTimeout(timer)
    }
  }

  /** For those without a token: yes or no, kept for a moment. */
  async isReady(): Promise<boolean> {
    if (this.isDraining) return false
    if (!this.#asked || performance.now() - this.#asked.atMs > keepMs)
      this.#asked = {
        atMs: performance.now(),
        isWell: this.faults().then((faults) => Object.keys(faults).length === 0),
      }
    return this.#asked.isWell
  }
}
