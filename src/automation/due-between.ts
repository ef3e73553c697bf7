// How often a schedule was due while nobody looked. Years of it must not take longer than a blink, so due times are
// counted by days and by stretches of one offset, never one by one.
import { createRequire } from 'node:module'
import type { CronPattern } from 'croner'
import { type Interval, isDay, previousDue } from './interval.ts'
import { addDays, instantOf, stretchesBetween, type WallDate, wallDateAt } from './zoned-time.ts'

const minute = 60_000
const minutesPerDay = 24 * 60

/** How many due times lie in (from, to], and the last of them. */
export function dueBetween(
  interval: Interval,
  fromMs: number,
  toMs: number,
): { readonly count: number; readonly last: number | null } {
  const count = toMs > fromMs ? countDue(interval, fromMs, toMs) : 0
  return { count, last: count > 0 ? previousDue(interval, toMs) : null }
}

function countDue(interval: Interval, fromMs: number, toMs: number): number {
  if (interval.type === 'minutely') {
    const step = interval.every * minute
    return Math.floor(toMs / step) - Math.floor(fromMs / step)
  }
  if (interval.type === 'hourly') return countHours(interval, fromMs, toMs)
  if (interval.type === 'cron') {
    const { pattern, zone } = interval
    const isDue = dayTest(pattern)
    if (!pattern.isFixedTime) return countWallMinutes(pattern, isDue, zone, fromMs, toMs)
    const time = { zone, hour: pattern.hour.indexOf(1), minute: pattern.minute.indexOf(1) }
    // Where a whole day is left out, croner leaves its run out too.
    return countDays(time, isDue, fromMs, toMs, (date, at) => wallDateAt(zone, at).day === date.day)
  }
  return countDays(interval, (date) => isDay(interval, date), fromMs, toMs)
}

/** A time of the day, on the days that pass; two days whose time is the same instant count once. */
function countDays(
  { zone, hour, minute: at }: { readonly zone: string; readonly hour: number; readonly minute: number },
  isDue: (date: WallDate) => boolean,
  fromMs: number,
  toMs: number,
  isTaken: (date: WallDate, instant: number) => boolean = () => true,
): number {
  let count = 0
  let last = fromMs
  for (let date = addDays(wallDateAt(zone, fromMs), -1); ; date = addDays(date, 1)) {
    // The wall is never more than a day away from UTC.
    if (Date.UTC(date.year, date.month - 1, date.day - 2) > toMs) return count
    if (!isDue(date)) continue
    const instant = instantOf(zone, date, hour, at)
    if (instant <= last || instant > toMs || !isTaken(date, instant)) continue
    count++
    last = instant
  }
}

/** The whole minutes whose minute on the wall is the wanted one. */
function countHours(
  { zone, minute: wanted }: { readonly zone: string; readonly minute: number },
  fromMs: number,
  toMs: number,
): number {
  let count = 0
  for (const stretch of stretchesBetween(zone, fromMs + 1, toMs)) {
    const rest = wanted - Math.floor(stretch.offset / minute)
    const upTo = (ms: number): number => Math.floor((Math.floor(ms / minute) - rest) / 60)
    count += upTo(stretch.toMs) - upTo(stretch.fromMs - 1)
  }
  return count
}

/** Every minute on the wall that the pattern takes: none of a gap, both of an hour that comes twice. */
function countWallMinutes(
  pattern: CronPattern,
  isDue: (date: WallDate) => boolean,
  zone: string,
  fromMs: number,
  toMs: number,
): number {
  // For each minute of a day: how many of those before it are wanted.
  const before = [0]
  for (let at = 0; at < minutesPerDay; at++)
    before.push(before[at]! + (pattern.hour[Math.floor(at / 60)] && pattern.minute[at % 60] ? 1 : 0))
  let count = 0
  for (const stretch of stretchesBetween(zone, fromMs + 1, toMs)) {
    const first = Math.ceil((stretch.fromMs + stretch.offset) / minute)
    const end = Math.floor((stretch.toMs + stretch.offset) / minute) + 1
    for (let day = Math.floor(first / minutesPerDay); day * minutesPerDay < end; day++) {
      const from = Math.max(0, first - day * minutesPerDay)
      const to = Math.min(minutesPerDay, end - day * minutesPerDay)
      if (to > from && before[to]! > before[from]! && isDue(wallDateAt('UTC', day * minutesPerDay * minute)))
        count += before[to]! - before[from]!
    }
  }
  return count
}

/** Does a pattern take a day? As croner judges it, at a time of the day that the pattern takes. */
function dayTest(pattern: CronPattern): (date: WallDate) => boolean {
  const { CronDate } = createRequire(import.meta.url)('croner') as typeof import('croner')
  const hour = pattern.hour.indexOf(1)
  const at = pattern.minute.indexOf(1)
  return ({ year, month, day }) =>
    new CronDate(new Date(Date.UTC(year, month - 1, day, hour, at)), 0).match(pattern, {})
}
