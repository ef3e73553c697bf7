// Figures of runs as pages ask for them: the address, with its borders set to whole steps so that answers can be kept.
import type { RunStats } from '../api/types.ts'

export const dayMs = 86_400_000

export interface Range {
  readonly since: string
  readonly until: string
  readonly bucket: number
}

/** The last stretch of time in `steps` steps, its end moved up to a whole one. */
export function lastRange(lengthMs: number, steps: number, nowMs: number): Range {
  const bucketMs = lengthMs / steps
  const until = Math.ceil(nowMs / bucketMs) * bucketMs
  return {
    since: new Date(until - lengthMs).toISOString(),
    until: new Date(until).toISOString(),
    bucket: Math.round(bucketMs / 1000),
  }
}

export function statsPath(range: Range, more: { readonly [name: string]: string } = {}): string {
  const { since, until, bucket } = range
  return `/api/stats?${new URLSearchParams({ since, until, bucket: String(bucket), ...more })}`
}

/** One value per step, zero where nothing ran. */
export function seriesOf(
  { since, until, bucket }: Range,
  buckets: RunStats['buckets'],
  value: (figures: RunStats['buckets'][number]) => number,
): number[] {
  const from = Date.parse(since)
  const length = Math.round((Date.parse(until) - from) / (bucket * 1000))
  const values = new Array<number>(length).fill(0)
  for (const figures of buckets) {
    const at = Math.floor((Date.parse(figures.at) - from) / (bucket * 1000))
    if (at >= 0 && at < length) values[at] = value(figures)
  }
  return values
}
