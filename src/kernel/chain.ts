// The onion. A chain is a sorted list with a cursor: `next()` runs the rest inside the entry that calls it;
// an entry that does not call it and returns undefined lets the loop go on; any other value is the result
// and the rest is skipped.
import type { Call } from './call.ts'

export type Next = (options?: { readonly again?: boolean }) => Promise<unknown>
export type Middleware = (call: Call, next: Next) => unknown

export interface ChainEntry {
  readonly name: string
  readonly run: Middleware
}

/** Runs the chain of `call` from entry `from` on; resolves when it is through, rejects with what was thrown. */
export async function runChain(call: Call, from = 0): Promise<void> {
  for (let index = from; index < call.chain.length; index++) {
    const entry = call.chain[index]!
    const startMs = call.elapsedMs()
    let inner: Promise<unknown> | null = null
    const next: Next = (options) => {
      if (options?.again) {
        call.result = undefined
        call.error = undefined
        inner = null
      }
      inner ??= runChain(call, index + 1).then(() => {
        call.next = next
        return call.result
      })
      return inner
    }
    call.next = next
    try {
      let value = entry.run(call, next)
      if (isThenable(value)) value = await value
      // A `next()` that nobody awaited still belongs to this entry.
      if (inner) await inner
      if (value !== undefined) {
        call.result = value
        return
      }
      if (inner) return
    } finally {
      call.spans.push({ name: entry.name, startMs, endMs: call.elapsedMs() })
    }
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'
  )
}
