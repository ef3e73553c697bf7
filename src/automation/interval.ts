// The interval of a schedule: is it valid, when is it due. croner keeps the calendar: every interval but `minutely`,
// which counts minutes since 1970, is written as a cron line. A fixed time is asked for on the wall clock, because
// croner leaves out a time whose gap reaches midnight (Nuuk at 23:30), and C91 wants the first instant after the gap.
import { createRequire } from 'node:module'
import type { Cron } from 'croner'
import { isPlainObject } from '../tool/json.ts'

const weekdayNames = /^(sun(day)?|mon(day)?|tue(sday)?|wed(nesday)?|thu(rsday)?|fri(day)?|sat(urday)?)$/i
const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
const weekMs = 7 * dayMs
const endMs = Date.UTC(10_000, 0)
const nicknames = /^@(yearly|annually|monthly|weekly|daily|midnight|hourly)$/i

interface CronInterval {
  readonly labels: readonly string[]
  /** In the zone; of a fixed time on the wall clock. */
  readonly cron: Cron
  readonly zone: string
  readonly isFixedTime: boolean
  readonly perDay: number
  readonly perHour: number
}

export type Interval = CronInterval | { readonly labels: readonly string[]; readonly everyMs: number }

/** A cron line and the labels of its ticks (C93). */
interface Line {
  readonly line: string
  readonly labels: readonly string[]
  readonly isFixedTime?: boolean
}

/** The interval, or in words why it is none. */
export function parseInterval(given: unknown): Interval | string {
  if (!isPlainObject(given)) return 'interval must be an object with a type'
  const zone = given['timezone'] ?? 'UTC'
  if (!isTimeZone(zone))
    return `timezone ${JSON.stringify(zone)} is not an IANA time zone such as Europe/Berlin`
  const type = given['type']
  if (type === 'minutely') {
    const every = given['every_n_minutes'] ?? 1
    if (!isWhole(every, 1, 1440)) return 'every_n_minutes must be a whole number from 1 to 1440'
    return { labels: [`interval:${type}`, `every:${every}`], everyMs: every * minuteMs }
  }
  const line = type === 'cron' ? cronLine(given['expression']) : lineOf(given, type)
  return typeof line === 'string' ? line : compile(line, zone, String(type))
}

function compile({ line, labels, isFixedTime = false }: Line, zone: string, type: string): Interval | string {
  try {
    const cron = makeCron(line, isFixedTime ? 'UTC' : zone)
    if (cron.nextRun(new Date(0)) === null) return `cron "${line}" names a day that never comes`
    const { CronPattern } = createRequire(import.meta.url)('croner') as typeof import('croner')
    const pattern = new CronPattern(line, zone)
    const perHour = pattern.minute.filter(Boolean).length
    const perDay = perHour * pattern.hour.filter(Boolean).length
    return { labels: [`interval:${type}`, ...labels], cron, zone, isFixedTime, perDay, perHour }
  } catch (error) {
    return `cron "${line}": ${(error as Error).message.replace(/^CronPattern: /, '')}`
  }
}

function cronLine(expression: unknown): Line | string {
  const line = typeof expression === 'string' ? expression.trim() : ''
  return nicknames.test(line) || line.split(/\s+/).length === 5
    ? { line, labels: [] }
    : 'expression must be a cron line of five fields or a nickname such as @daily'
}

function lineOf(given: Record<string, unknown>, type: unknown): Line | string {
  if (type === 'hourly') {
    const minute = given['minute'] ?? 0
    if (!isWhole(minute, 0, 59)) return 'minute must be a whole number from 0 to 59'
    return { line: `${minute} * * * *`, labels: [`minute:${minute}`] }
  }
  if (type !== 'daily' && type !== 'weekly' && type !== 'monthly' && type !== 'nth_weekday')
    return `interval type ${JSON.stringify(type ?? null)} is not one of minutely, hourly, daily, weekly, monthly, nth_weekday, cron`
  const time = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(String(given['time'] ?? ''))
  if (!time) return 'time must look like 09:00'
  const days = daysOf(given, type)
  if (typeof days === 'string') return days
  return {
    line: `${Number(time[2])} ${Number(time[1])} ${days.line}`,
    labels: [`time:${time[0]}`, ...days.labels],
    isFixedTime: true,
  }
}

/** The fields day, month and weekday of a cron line. */
function daysOf(
  given: Record<string, unknown>,
  type: 'daily' | 'weekly' | 'monthly' | 'nth_weekday',
): Line | string {
  if (type === 'daily') return { line: '* * *', labels: [] }
  if (type === 'weekly') {
    const names = weekdaysOf(given['weekdays'])
    return names
      ? { line: `* * ${names.join(',')}`, labels: [`weekdays:${names.join('-')}`] }
      : 'weekdays must be a list of mon, tue, wed, thu, fri, sat, sun'
  }
  const block = type === 'nth_weekday' ? given : given['nth_weekday']
  const day = type === 'monthly' ? given['day_of_month'] : undefined
  if ((block === undefined) === (day === undefined))
    return 'a monthly interval needs either day_of_month or nth_weekday'
  if (day !== undefined)
    return isWhole(day, 1, 31)
      ? { line: `${day} * *`, labels: [`day:${day}`] }
      : 'day_of_month must be a whole number from 1 to 31'
  const { nth, weekday } = isPlainObject(block) ? block : {}
  const name = weekdaysOf([weekday])?.[0]
  if ((nth !== 'last' && !isWhole(nth, 1, 5)) || name === undefined)
    return 'nth_weekday needs nth (1 to 5 or "last") and weekday'
  const ordinal = nth === 'last' ? nth : ordinals[nth]
  return { line: `* * ${name}#${nth === 'last' ? 'L' : nth}`, labels: [`nth:${ordinal}-${name}`] }
}

const ordinals = ['', '1st', '2nd', '3rd', '4th', '5th']

function weekdaysOf(given: unknown): string[] | null {
  if (!Array.isArray(given) || given.length === 0) return null
  if (!given.every((name) => typeof name === 'string' && weekdayNames.test(name))) return null
  return given.map((name: string) => name.slice(0, 3).toLowerCase())
}

function isWhole(value: unknown, least: number, most: number): value is number {
  return Number.isInteger(value) && (value as number) >= least && (value as number) <= most
}

function isTimeZone(name: unknown): name is string {
  if (typeof name !== 'string' || name === '') return false
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/** The first due time after an instant; null when there is none. */
export function nextDue(interval: Interval, afterMs: number): number | null {
  if ('everyMs' in interval) return (Math.floor(afterMs / interval.everyMs) + 1) * interval.everyMs
  return dueTimes(interval, afterMs).next().value ?? null
}

/** All due times after an instant. */
function* dueTimes({ cron, zone, isFixedTime }: CronInterval, afterMs: number): Generator<number, undefined> {
  const isOnWall = isFixedTime && zone !== 'UTC'
  let last = afterMs
  // A day earlier on the wall: no gap and no hour that comes twice is longer.
  const from = isOnWall ? afterMs + offsetAt(zone, afterMs) - dayMs : afterMs
  for (let run = cron.nextRun(new Date(from)); run !== null; run = cron.nextRun(run)) {
    const due = isOnWall ? instantOf(zone, run.getTime()) : run.getTime()
    if (due <= last) continue
    last = due
    yield due
  }
}

/** The latest due time at or before an instant; null when there is none, as before 1970 and after the year 9999. */
export function previousDue(interval: Interval, atMs: number): number | null {
  // Asked about the first centuries, croner looks for years that it never comes to; at the end of time dates end too.
  if (atMs < 0 || atMs >= endMs) return null
  if ('everyMs' in interval) return Math.floor(atMs / interval.everyMs) * interval.everyMs
  const { cron, zone, isFixedTime } = interval
  const before = isFixedTime ? atMs + offsetAt(zone, atMs) + dayMs : atMs
  const found = cron.previousRuns(4, new Date(before + 1000)).map((date) => date.getTime())
  return (isFixedTime ? found.map((wall) => instantOf(zone, wall)) : found).find((at) => at <= atMs) ?? null
}

/** How many due times lie in (from, to], and the last of them. */
export function dueBetween(
  interval: Interval,
  fromMs: number,
  toMs: number,
): { readonly count: number; readonly last: number | null } {
  const count = toMs > fromMs ? countDue(interval, fromMs, toMs) : 0
  return { count, last: count > 0 ? previousDue(interval, toMs) : null }
}

/** Years of minutes are counted by days and hours, on the wall from one change of the clock to the next. */
function countDue(interval: Interval, fromMs: number, toMs: number): number {
  if ('everyMs' in interval)
    return Math.floor(toMs / interval.everyMs) - Math.floor(fromMs / interval.everyMs)
  let count = 0
  if (interval.perDay === 1) {
    for (const due of dueTimes(interval, fromMs)) {
      if (due > toMs) break
      count++
    }
    return count
  }
  const onWall = { ...interval, cron: makeCron(interval.cron.getPattern()!, 'UTC') }
  for (let start = fromMs; start < toMs; ) {
    const offset = offsetAt(interval.zone, start + 1)
    const end = lastOfOffset(interval.zone, start + 1, toMs)
    count += countOnWall(onWall, start + offset, end + offset)
    start = end
  }
  return count
}

/** A day or hour that lies in the span as a whole has as many due times as the pattern has minutes in it. */
function countOnWall(interval: CronInterval, fromMs: number, toMs: number): number {
  const units = [
    { lengthMs: dayMs, dueTimes: interval.perDay },
    { lengthMs: hourMs, dueTimes: interval.perHour },
  ]
  let count = 0
  for (let at = fromMs; ; ) {
    const due = nextDue(interval, at)
    if (due === null || due > toMs) return count
    const startOf = (lengthMs: number): number => Math.floor(due / lengthMs) * lengthMs
    const whole = units.find(({ lengthMs }) => startOf(lengthMs) > at && startOf(lengthMs) + lengthMs <= toMs)
    count += whole?.dueTimes ?? 1
    at = whole ? startOf(whole.lengthMs) + whole.lengthMs - 1000 : due
  }
}

/** The last instant up to which the zone keeps the offset of `fromMs`. No zone changes twice within a week. */
function lastOfOffset(zone: string, fromMs: number, toMs: number): number {
  const offset = offsetAt(zone, fromMs)
  let last = fromMs
  let changed = last
  while (changed < toMs && offsetAt(zone, changed) === offset) {
    last = changed
    changed = Math.min(changed + weekMs, toMs)
  }
  if (offsetAt(zone, changed) === offset) return toMs
  while (changed - last > 1) {
    const middle = Math.floor((last + changed) / 2)
    if (offsetAt(zone, middle) === offset) last = middle
    else changed = middle
  }
  return last
}

/** The instant of a time on the wall: the first of two, and the end of the gap of one that does not exist (C91). */
function instantOf(zone: string, wallMs: number): number {
  const offsets = [offsetAt(zone, wallMs - dayMs), offsetAt(zone, wallMs + dayMs)] as const
  if (offsets[0] === offsets[1]) return wallMs - offsets[0]
  const real = offsets.map((offset) => wallMs - offset).filter((at) => at + offsetAt(zone, at) === wallMs)
  return real.length > 0 ? Math.min(...real) : lastOfOffset(zone, wallMs - dayMs, wallMs + dayMs) + 1
}

/** How far the zone is ahead of UTC at an instant, in milliseconds. */
function offsetAt(zone: string, atMs: number): number {
  if (zone === 'UTC') return 0
  const { CronDate } = createRequire(import.meta.url)('croner') as typeof import('croner')
  const { year, month, day, hour, minute, second, ms } = new CronDate(new Date(atMs), zone)
  return Date.UTC(year, month, day, hour, minute, second, ms) - atMs
}

function makeCron(line: string, zone: string): Cron {
  const { Cron } = createRequire(import.meta.url)('croner') as typeof import('croner')
  // Without a zone croner is ten times as fast.
  return new Cron(line, { ...(zone === 'UTC' ? { utcOffset: 0 } : { timezone: zone }), paused: true })
}
