// What is known of a skill besides its tools: enough to list it, gate it, shadow it and give it as context.
import type { Json, JsonObject } from '../../tool/json.ts'

export type SkillState = 'available' | 'unavailable' | 'disabled' | 'shadowed'

/** Plain JSON: kept in the catalog's cache. */
export interface SkillFacts {
  readonly [key: string]: Json | undefined
  /** The directory's name. */
  readonly id: string
  /** Absolute folder, and its real one, which tells two ways to one skill. */
  readonly dir: string
  readonly realDir: string
  /** Place in skill order: tier, place, root, then the id decides. */
  readonly rank: readonly number[]
  readonly description: string
  /** Programs that must be there: one inner list is enough; null: no gate. */
  readonly needsBins: readonly (readonly string[])[] | null
  /** Why the skill is out of service whatever programs there are. */
  readonly fault: string | null
  readonly hasTools: boolean
  /** Ids of its tools in the order of its file; known once all skills are linked. */
  readonly tools?: readonly string[]
  readonly state: SkillState
  readonly reason: string | null
  /** The folder of the skill of the same id that hides it. */
  readonly hiddenBy?: string
}

/** What the catalog kept of this format's skills. */
export function skillFacts(kept: readonly JsonObject[]): readonly SkillFacts[] {
  return kept as readonly object[] as readonly SkillFacts[]
}

/** Skill order: by root, then by directory in code-point order. */
export function bySkillOrder(a: Pick<SkillFacts, 'rank' | 'id'>, b: Pick<SkillFacts, 'rank' | 'id'>): number {
  for (let i = 0; i < a.rank.length; i++) {
    if (a.rank[i] !== b.rank[i]) return a.rank[i]! - b.rank[i]!
  }
  return byCodePoints(a.id, b.id)
}

function byCodePoints(a: string, b: string): number {
  const left = [...a]
  const right = [...b]
  for (let i = 0; i < left.length && i < right.length; i++) {
    const difference = left[i]!.codePointAt(0)! - right[i]!.codePointAt(0)!
    if (difference !== 0) return difference
  }
  return left.length - right.length
}
