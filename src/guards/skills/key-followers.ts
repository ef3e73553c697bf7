// The entries of metadata keys that stand behind another one in a chain: each is made and judged as it would be in its
// turn, so that a worker can run them all without asking (G15).
import type { Call } from '../../kernel/call.ts'
import type { Entry } from '../../kernel/compose.ts'
import type { Composed } from '../../kernel/kernel.ts'
import type { Follower, Followers } from '../../runtimes/skill/fenced/followers.ts'
import type { WovenKey } from '../../tool/cascade.ts'
import type { Tool } from '../../tool/tool.ts'
import { keyOf } from './weave.ts'

export interface FollowerCalls {
  compose(tool: Tool): Composed
  /** Makes the call of a key's tool; undefined where the tool must be loaded first. */
  make(target: Call, key: WovenKey): Call | undefined
}

export class KeyFollowers implements Followers {
  readonly #call: Call
  readonly #calls: FollowerCalls
  #entries: readonly Entry[] = []
  #taken: readonly Call[] = []

  constructor(call: Call, calls: FollowerCalls) {
    this.#call = call
    this.#calls = calls
  }

  take(fits: (follower: Follower) => boolean): readonly Follower[] {
    const { target } = this.#call
    const first = target.cursor + 1
    const taken: Call[] = []
    for (;;) {
      const entry = target.chain[first + taken.length]
      const key = entry && keyOf(entry)
      const follower = key && this.#calls.make(target, key)
      if (!follower) break
      if (!this.#passes(follower) || !fits(follower)) {
        follower.finish()
        break
      }
      taken.push(follower)
    }
    const behind = first + taken.length
    this.#taken = taken
    this.#entries = target.chain.slice(first, behind)
    if (taken.length > 0) target.chain = [...target.chain.slice(0, first), ...target.chain.slice(behind)]
    return taken
  }

  giveBack(from: number): void {
    const { target } = this.#call
    const entries = this.#entries.slice(from)
    for (const follower of this.#taken.slice(from)) follower.finish()
    this.#entries = this.#entries.slice(0, from)
    this.#taken = this.#taken.slice(0, from)
    const at = target.cursor + 1
    target.chain = [...target.chain.slice(0, at), ...entries, ...target.chain.slice(at)]
  }

  end(failed: ReadonlyMap<number, unknown>, isThrough: boolean): void {
    if (isThrough) this.#call.turnOfTarget?.skip()
    this.#taken.forEach((follower, index) => {
      follower.stopClock()
      if (failed.has(index)) {
        follower.error = failed.get(index)
        follower.atEnd?.(follower)
      }
      follower.finish()
    })
    this.#taken = []
  }

  /** Whether every check lets it pass at once, and nothing of the host is to stand around it. */
  #passes(call: Call): boolean {
    const composed = this.#calls.compose(call.tool)
    if (!('isFixed' in composed && composed.isFixed)) return false
    call.chain = composed.chain
    composed.prepare?.(call)
    if (call.metadata['delegate'] != null) return false
    try {
      for (const entry of call.chain) {
        if (entry.run === null) continue
        // What those of one hop write is on one layer, and belongs to the first of them.
        if (entry.name === 'execute' || entry.name === 'effects') return true
        if (entry.takesNext || entry.runsTool || entry.kind === 'hook') return false
        if (entry.run(call, never) !== undefined) return false
      }
    } catch {
      // It is refused in its turn, with what it is refused for.
    }
    return false
  }
}

function never(): never {
  throw new Error('A check has no rest.')
}
