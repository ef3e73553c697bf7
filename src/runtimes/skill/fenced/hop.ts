// One hop to a worker that runs several middlewares in a row (G15): what each of them asks of the host, and what became
// of them.
import { isPlainObject, type Json } from '../../../tool/json.ts'
import type { Answer } from '../../../workers/protocol.ts'
import type { Context } from '../context.ts'
import { CarriedCall, type CarriedParts } from './carried-call.ts'
import type { Carrier } from './carrier.ts'
import type { Follower, Followers } from './followers.ts'

export class Hop {
  readonly #followers: Followers
  readonly #failed = new Map<number, unknown>()
  readonly #carried = new Map<number, CarriedCall>()
  taken: readonly Follower[]
  #isThrough = false

  constructor(followers: Followers, taken: readonly Follower[]) {
    this.#followers = followers
    this.taken = taken
  }

  /** Answers a question of one of them; their numbers start at 1, the first of the hop asks for itself. */
  async ask(op: string, args: readonly Json[], parts: Omit<CarriedParts, 'context'>): Promise<Answer> {
    if (op === 'give-back') {
      const from = Math.max(0, Math.min(Number(args[1]) || 0, this.taken.length))
      this.#followers.giveBack(from)
      this.taken = this.taken.slice(0, from)
      return { ok: true, json: '{}' }
    }
    const slash = op.indexOf('/')
    const index = Number(op.slice(0, slash)) - 1
    const follower = this.taken[index]
    if (!follower) return { ok: true, json: '{"error":{"v":"\\"The call is over.\\""}}' }
    let carried = this.#carried.get(index)
    if (!carried) {
      carried = new CarriedCall({ ...parts, context: follower.context as Context })
      this.#carried.set(index, carried)
    }
    return carried.ask(op.slice(slash + 1), args)
  }

  get isWaiting(): boolean {
    return [...this.#carried.values()].some((carried) => carried.isWaiting)
  }

  /** What the worker tells of it when the call ends. */
  take(text: string, carrier: Carrier): void {
    const told: unknown = JSON.parse(text)
    if (!isPlainObject(told)) return
    this.#isThrough = told['isThrough'] === true
    const { failed } = told
    for (const entry of Array.isArray(failed) ? failed : []) {
      const [number, packed] = Array.isArray(entry) ? entry : []
      if (typeof number === 'number') this.#failed.set(number - 1, carrier.unpack(packed))
    }
  }

  end(): void {
    this.#followers.end(this.#failed, this.#isThrough)
  }
}
