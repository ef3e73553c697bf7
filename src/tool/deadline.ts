// Time limits. Nearly all of them are dropped long before they pass, so they share one timer, which is set anew only
// for one that passes sooner: a timer made and cleared for each call costs more than the rest of its limit.

const maxTimerMs = 2_147_483_647

let first: Deadline | undefined
let timer: NodeJS.Timeout | undefined
let firesAtMs = Number.POSITIVE_INFINITY

export class Deadline {
  readonly #atMs: number
  #late: (() => void) | undefined
  #before: Deadline | undefined
  #after: Deadline | undefined
  #isPending = true

  /** Calls `late` in so many milliseconds unless it is dropped before; until then the program does not end. */
  constructor(ms: number, late: () => void) {
    this.#atMs = performance.now() + ms
    this.#late = late
    if (first) first.#before = this
    else timer?.ref()
    this.#after = first
    first = this
    if (this.#atMs < firesAtMs) setTimer(this.#atMs)
  }

  drop(): void {
    if (!this.#isPending) return
    this.#isPending = false
    if (this.#before) this.#before.#after = this.#after
    else first = this.#after
    if (this.#after) this.#after.#before = this.#before
    // One that outlived a collection must not keep its neighbours and their calls alive until the next thorough one.
    this.#before = undefined
    this.#after = undefined
    this.#late = undefined
    if (!first) timer?.unref()
  }

  /** Calls those whose time has come, in the order of their times, and sets the timer for the next. */
  static fire(): void {
    const now = performance.now()
    const due: Deadline[] = []
    let nextMs = Number.POSITIVE_INFINITY
    for (let one = first; one; one = one.#after) {
      if (one.#atMs <= now) due.push(one)
      else nextMs = Math.min(nextMs, one.#atMs)
    }
    setTimer(nextMs)
    for (const one of due.sort((a, b) => a.#atMs - b.#atMs)) {
      const late = one.#late
      if (!one.#isPending) continue
      one.drop()
      try {
        late!()
      } catch (error) {
        // As uncaught as it would be in a timer of its own, and no harm to the others.
        queueMicrotask(() => {
          throw error
        })
      }
    }
  }
}

function setTimer(atMs: number): void {
  clearTimeout(timer)
  timer = undefined
  firesAtMs = atMs
  if (atMs === Number.POSITIVE_INFINITY) return
  const inMs = Math.max(1, Math.ceil(atMs - performance.now()))
  timer = setTimeout(Deadline.fire, Math.min(inMs, maxTimerMs))
  if (!first) timer.unref()
}
