// What `manager.next()` gives a tool: a promise that says when somebody looks at it.

/** Whoever wants to know that a promise is looked at. */
export interface Watcher {
  watch(): void
}

/** No subclass of Promise: that costs several times as much, and every middleware of a call makes one. */
export class NextPromise implements Promise<unknown> {
  readonly #source: Promise<unknown>
  readonly #watcher: Watcher
  declare readonly [Symbol.toStringTag]: string

  constructor(source: Promise<unknown>, watcher: Watcher) {
    this.#source = source
    this.#watcher = watcher
  }

  /** What becomes of it, without anybody having looked. */
  get unwatched(): Promise<unknown> {
    return this.#source
  }

  watch(): void {
    this.#watcher.watch()
  }

  then<A = unknown, B = never>(
    onResolve?: ((value: unknown) => A | PromiseLike<A>) | null,
    onReject?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.#watcher.watch()
    return this.#source.then(onResolve, onReject)
  }

  catch<B = never>(onReject?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<unknown> {
    return this.then(undefined, onReject)
  }

  finally(onEnd?: (() => void) | null): Promise<unknown> {
    this.#watcher.watch()
    return this.#source.finally(onEnd)
  }
}

// `instanceof Promise` holds, as for any other.
Object.setPrototypeOf(NextPromise.prototype, Promise.prototype)
