// Wall-clock time in a time zone to instants and back, with the two rules schedules need: a time that does
// not exist becomes the first instant after the gap, one that occurs twice means the first.

const formatters = new Map<string, Intl.DateTimeFormat>()

export interface WallDate {
  readonly year: number
  /** 1 to 12. */
  readonly month: number
  readonly day: number
}

export function isTimeZone(name: unknown): name is string {
  if (typeof name !== 'string' || name === '') return false
  try {
    formatterOf(name)
    return true
  } catch {
    return false
  }
}

function formatterOf(zone: string): Intl.DateTimeFormat {
  let formatter = formatters.get(zone)
  if (!formatter) {
    formatter = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
    formatters.set(zone, formatter)
  }
  return formatter
}

/** How far the zone is ahead of UTC at an instant, in milliseconds. */
export function offsetAt(zone: string, instantMs: number): number {
  if (zone === 'UTC') return 0
  const whole = Math.floor(instantMs / 1000) * 1000
  const parts: Record<string, number> = {}
  for (const { type, value } of formatterOf(zone).formatToParts(whole)) parts[type] = Number(value)
  return (
    Date.UTC(
      parts['year']!,
      parts['month']! - 1,
      parts['day']!,
      parts['hour']!,
      parts['minute']!,
      parts['second']!,
    ) - whole
  )
}

/** The date on the wall at an instant. */
export function wallDateAt(zone: string, instantMs: number): WallDate {
  const wall = new Date(instantMs + offsetAt(zone, instantMs))
  return { year: wall.getUTCFullYear(), month: wall.getUTCMonth() + 1, day: wall.getUTCDate() }
}

export function addDays(date: WallDate, days: number): WallDate {
  const moved = new Date(Date.UTC(date.year, date.month - 1, date.day + days))
  return { year: moved.getUTCFullYear(), month: moved.getUTCMonth() + 1, day: moved.getUTCDate() }
}

/** 0 = Sunday. */
export function weekdayOf(date: WallDate): number {
  return new Date(Date.UTC(date.year, date.month - 1, date.day)).getUTCDay()
}

export function daysInMonth(date: WallDate): number {
  return new Date(Date.UTC(date.year, date.month, 0)).getUTCDate()
}

const day = 24 * 60 * 60 * 1000

/** The instant of a wall-clock time. */
export function instantOf(zone: string, date: WallDate, hour: number, minute: number): number {
  const wall = Date.UTC(date.year, date.month - 1, date.day, hour, minute)
  const before = offsetAt(zone, wall - day)
  const after = offsetAt(zone, wall + day)
  if (before === after) return wall - before
  const real = [before, after]
    .map((offset) => ({ offset, at: wall - offset }))
    .filter(({ offset, at }) => offsetAt(zone, at) === offset)
    .map(({ at }) => at)
  return real.length > 0 ? Math.min(...real) : changeBetween(zone, wall - day, wall + day)
}

/** A time of one offset, from its first instant to its last. */
export interface Stretch {
  readonly fromMs: number
  readonly toMs: number
  readonly offset: number
}

/** The stretches that make up [from, to]. One look a day finds them all: no zone changes twice within one. */
export function stretchesBetween(zone: string, fromMs: number, toMs: number): Stretch[] {
  const found: Stretch[] = []
  let start = fromMs
  let offset = offsetAt(zone, fromMs)
  for (let seen = fromMs; zone !== 'UTC' && seen < toMs; ) {
    const next = Math.min(seen + day, toMs)
    const there = offsetAt(zone, next)
    if (there !== offset) {
      const change = changeBetween(zone, seen, next)
      found.push({ fromMs: start, toMs: change - 1, offset })
      start = change
      offset = there
    }
    seen = next
  }
  return [...found, { fromMs: start, toMs, offset }]
}

/** The instant at which the offset becomes the later one. */
function changeBetween(zone: string, fromMs: number, toMs: number): number {
  const later = offsetAt(zone, toMs)
  let low = fromMs
  let high = toMs
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (offsetAt(zone, middle) === later) high = middle
    else low = middle
  }
  return high
}
