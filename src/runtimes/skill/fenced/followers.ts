// Middleware that stands right behind another one, with no check of the host between: all of it can run in one hop to
// its worker and back (G15).
import type { Profile } from '../../../sandbox/profile.ts'
import type { Tool } from '../../../tool/tool.ts'

/** The call of one of them; every check has let it pass. */
export interface Follower {
  readonly tool: Tool
  readonly profile: Profile | null
  readonly context: unknown
}

export interface Followers {
  /** Takes those that fit, up to the first that does not, out of the chain of the call they serve. */
  take(fits: (follower: Follower) => boolean): readonly Follower[]
  /** Those from this one on run by themselves, as entries of the chain. */
  giveBack(from: number): void
  /** Called once, when the hop is over. `isThrough`: the rest of the chain is not to run any more. */
  end(failed: ReadonlyMap<number, unknown>, isThrough: boolean): void
}
