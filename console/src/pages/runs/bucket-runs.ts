// Runs gathered into equal stretches of time, for the charts.
import type { RunSummary } from '../../api/types.ts'

export interface Buckets {
  /** Begin of each stretch, in seconds since 1970. */
  readonly times: readonly number[]
  readonly calls: readonly number[]
  readonly errors: readonly number[]
  /** Milliseconds; null where nothing ran. */
  readonly median: readonly (number | null)[]
  readonly slow: readonly (number | null)[]
}

export function bucketRuns(
  runs: readonly RunSummary[],
  fromMs: number,
  toMs: number,
  count: number,
): Buckets {
  const width = Math.max(1, (toMs - fromMs) / count)
  const groups = Array.from({ length: count }, () => ({ errors: 0, times: [] as number[] }))
  for (const run of runs) {
    if (run.state === 'running') continue
    const at = Math.floor((Date.parse(run.startedAt) - fromMs) / width)
    const group = groups[Math.min(at, count - 1)]
    if (at < 0 || !group) continue
    group.times.push(run.ms)
    if (!run.ok) group.errors++
  }
  for (const group of groups) group.times.sort((a, b) => a - b)
  return {
    times: groups.map((_, index) => (fromMs + index * width) / 1000),
    calls: groups.map((group) => group.times.length),
    errors: groups.map((group) => group.errors),
    median: groups.map((group) => quantile(group.times, 0.5)),
    slow: groups.map((group) => quantile(group.times, 0.95)),
  }
}

/** Of sorted numbers; null of none. */
export function quantile(sorted: readonly number[], part: number): number | null {
  return sorted.length === 0 ? null : sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]!
}
