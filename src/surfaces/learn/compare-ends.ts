// Whether calls ended as before. A value that differs from run to run by itself is compared by its shape.
import type { CallEnd } from './run-watched.ts'

/** How calls end, from two runs or more of each. */
export interface Reference {
  readonly ends: readonly CallEnd[]
  /** The values that are the same each time. */
  readonly isStable: readonly boolean[]
}

export function referenceOf(runs: readonly (readonly CallEnd[])[]): Reference {
  const [ends = []] = runs
  return {
    ends,
    isStable: ends.map((end, index) => runs.every((run) => run[index]!.value === end.value)),
  }
}

/** The first call that ends differently, in words; undefined when all end as before. */
export function differenceOf(reference: Reference, ends: readonly CallEnd[]): string | undefined {
  for (const [index, before] of reference.ends.entries()) {
    const now = ends[index]!
    const what = differing(before, now, reference.isStable[index]!)
    if (what !== undefined) return `${before.name}: ${what}`
  }
  return undefined
}

function differing(before: CallEnd, now: CallEnd, isStable: boolean): string | undefined {
  if (before.ok !== now.ok || before.code !== now.code) return `${now.said} (before: ${before.said})`
  if (before.isAsExpected !== now.isAsExpected) return 'not as its example says'
  if (before.effects !== now.effects) return 'other files are written'
  if (isStable ? before.value !== now.value : before.shape !== now.shape) return 'another result'
  return undefined
}
