// A moment of the past as people give it: a time, or how long ago.
import { UsageError } from './command.ts'

const unitMs: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** `2030-01-31`, `2030-01-31T12:00:00Z`, `30m`, `2h`, `7d` → RFC 3339 in UTC. */
export function sinceOption(given: string, nowMs: number): string {
  const ago = /^(\d{1,9})([smhd])$/.exec(given)
  if (ago) return new Date(nowMs - Number(ago[1]) * unitMs[ago[2]!]!).toISOString()
  const at = /^\d{4}-\d\d-\d\d/.test(given) ? Date.parse(given) : Number.NaN
  if (!Number.isNaN(at)) return new Date(at).toISOString()
  throw new UsageError(`--since takes a time such as 2030-01-31T12:00:00Z, or 30m, 2h, 7d, not "${given}".`)
}
