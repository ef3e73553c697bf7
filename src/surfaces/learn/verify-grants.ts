// Proves that grants are the smallest (L7): with exactly them every call ends as before, without any one of them at least
// one does not. What nothing needs is dropped on the way.
import { differenceOf, type Reference } from './compare-ends.ts'
import { runWatched, type WatchOrder } from './run-watched.ts'

export interface ProofRow {
  /** What is taken away; null: nothing. */
  readonly without: string | null
  /** What then differs; null: all calls end as before. */
  readonly difference: string | null
}

export interface Proof {
  /** Everything ends as before with the grants, and nothing can be left out. */
  readonly ok: boolean
  readonly calls: number
  /** What is left of the grants. */
  readonly grants: readonly string[]
  readonly rows: readonly ProofRow[]
}

export async function verifyGrants(
  order: Omit<WatchOrder, 'grants' | 'runs' | 'strace'>,
  grants: readonly string[],
  reference: Reference,
): Promise<Proof> {
  const differenceWith = async (kept: readonly string[]): Promise<string | null> => {
    const { ends } = await runWatched({ ...order, runs: 1, grants: kept })
    return differenceOf(reference, ends[0]!) ?? null
  }
  const rows: ProofRow[] = []
  const calls = reference.ends.length
  const whole = await differenceWith(grants)
  if (whole !== null) return { ok: false, calls, grants, rows: [{ without: null, difference: whole }] }
  let kept = grants
  for (const grant of grants) {
    const rest = kept.filter((other) => other !== grant)
    const difference = await differenceWith(rest)
    rows.push({ without: grant, difference })
    if (difference === null) kept = rest
  }
  // Each was found needless beside the others, so what is left is tried once more.
  const last = kept.length < grants.length ? await differenceWith(kept) : null
  return { ok: last === null, calls, grants: kept, rows: [{ without: null, difference: last }, ...rows] }
}
