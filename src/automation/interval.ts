// The interval of a schedule: is it valid, when is it due next, when was it due last.
import { createRequire } from 'node:module'
import type { Cron, CronPattern } from 'croner'
import { isPlainObject } from '../tool/json.ts'
import {
  addDays,
  daysInMonth,
  instantOf,
  isTimeZone,
  offsetAt,
  type WallDate,
  wallDateAt,
  weekdayOf,
} from './zoned-time.ts'

const weekdayNames = /^(sun(day)?|mon(day)?|tue(sday)?|wed(nesday)?|thu(rsday)?|fri(day)?|sat(urday)?)$/i
const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const
const minute = 60_000
const endMs = Date.UTC(10_000, 0)
const nicknames = /^@(yearly|annually|monthly|weekly|daily|midnight|hourly)$/i
/** Two years of days hold every monthly and weekly pattern. */
const searchDays = 750

type Nth = { readonly nth: number | 'last'; readonly weekday: number }

export type Interval =
  | { readonly type: 'minutely'; readonly every: number }
  | { readonly type: 'hourly'; readonly minute: number; readonly zone: string }
  | {
      readonly type: 'daily' | 'weekly' | 'monthly'
      readonly hour: number
      readonly minute: number
      readonly zone: string
      readonly weekdays?: readonly number[]
      readonly day?: number
      readonly nth?: Nth
    }
  | { readonly type: 'cron'; readonly cron: Cron; readonly pattern: CronPattern; readonly zone: string }

/** The interval, or in words why it is none. */
export function parseInterval(given: unknown): Interval | string {
  if (!isPlainObject(given)) return 'interval must be an object with a type'
  const zone = given['timezone'] ?? 'UTC'
  if (!isTimeZone(zone))
    return `timezone ${JSON.stringify(zone)} is not an IANA time zone such as Europe/Berlin`
  const type = given['type']
  if (type === 'minutely') {
    const every = given['every_n_minutes'] ?? 1
    return isWhole(every, 1, 1440) ? { type, every } : 'every_n_minutes must be a whole number from 1 to 1440'
  }
  if (type === 'hourly') {
    const at = given['minute'] ?? 0
    return isWhole(at, 0, 59) ? { type, minute: at, zone } : 'minute must be a whole number from 0 to 59'
  }
  if (type === 'cron') return parseCron(given['expression'], zone)
  if (type !== 'daily' && type !== 'weekly' && type !== 'monthly' && type !== 'nth_weekday')
    return `interval type ${JSON.stringify(type ?? null)} is not one of minutely, hourly, daily, weekly, monthly, nth_weekday, cron`
  const time = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(String(given['time'] ?? ''))
  if (!time) return 'time must look like 09:00'
  const fixed = { hour: Number(time[1]), minute: Number(time[2]), zone }
  if (type === 'daily') return { type, ...fixed }
  if (type === 'weekly') {
    const days = parseWeekdays(given['weekdays'])
    return days
      ? { type, ...fixed, weekdays: days }
      : 'weekdays must be a list of mon, tue, wed, thu, fri, sat, sun'
  }
  return parseMonthly(given, type, fixed)
}

function parseMonthly(
  given: Record<string, unknown>,
  type: 'monthly' | 'nth_weekday',
  fixed: { hour: number; minute: number; zone: string },
): Interval | string {
  const block = type === 'nth_weekday' ? given : given['nth_weekday']
  const dayOfMonth = type === 'monthly' ? given['day_of_month'] : undefined
  if ((block === undefined) === (dayOfMonth === undefined))
    return 'a monthly interval needs either day_of_month or nth_weekday'
  if (dayOfMonth !== undefined)
    return isWhole(dayOfMonth, 1, 31)
      ? { type: 'monthly', ...fixed, day: dayOfMonth }
      : 'day_of_month must be a whole number from 1 to 31'
  const nth = isPlainObject(block) ? block['nth'] : undefined
  const weekday = isPlainObject(block) ? parseWeekdays([block['weekday']])?.[0] : undefined
  if ((nth !== 'last' && !isWhole(nth, 1, 5)) || weekday === undefined)
    return 'nth_weekday needs nth (1 to 5 or "last") and weekday'
  return { type: 'monthly', ...fixed, nth: { nth, weekday } }
}

function parseCron(expression: unknown, zone: string): Interval | string {
  if (
    typeof expression !== 'string' ||
    (!nicknames.test(expression.trim()) && expression.trim().split(/\s+/).length !== 5)
  )
    return 'expression must be a cron line of five fields or a nickname such as @daily'
  try {
    const { Cron, CronPattern } = createRequire(import.meta.url)('croner') as typeof import('croner')
    const cron = new Cron(expression.trim(), { timezone: zone, paused: true })
    if (cron.nextRun(new Date(0)) === null) return `cron "${expression}" names a day that never comes`
    return { type: 'cron', cron, pattern: new CronPattern(expression.trim(), zone), zone }
  } catch (error) {
    return `cron "${expression}": ${(error as Error).message.replace(/^CronPattern: /, '')}`
  }
}

function parseWeekdays(given: unknown): number[] | null {
  if (!Array.isArray(given) || given.length === 0) return null
  if (!given.every((name) => typeof name === 'string' && weekdayNames.test(name))) return null
  return given.map((name: string) => weekdays.indexOf(name.slice(0, 3).toLowerCase() as 'sun'))
}

function isWhole(value: unknown, least: number, most: number): value is number {
  return Number.isInteger(value) && (value as number) >= least && (value as number) <= most
}

/** The first due time after an instant; null when there is none. */
export function nextDue(interval: Interval, afterMs: number): number | null {
  if (interval.type === 'minutely')
    return (Math.floor(afterMs / (interval.every * minute)) + 1) * interval.every * minute
  if (interval.type === 'hourly')
    return hourlyFrom(interval, Math.floor(afterMs / minute) * minute + minute, minute)
  if (interval.type === 'cron') return interval.cron.nextRun(new Date(afterMs))?.getTime() ?? null
  const today = wallDateAt(interval.zone, afterMs)
  for (let days = -1; days < searchDays; days++) {
    const date = addDays(today, days)
    if (!isDay(interval, date)) continue
    const at = instantOf(interval.zone, date, interval.hour, interval.minute)
    if (at > afterMs) return at
  }
  return null
}

/** The latest due time at or before an instant; null when there is none, as before 1970 and after the year 9999. */
export function previousDue(interval: Interval, atMs: number): number | null {
  // Asked about the first centuries, croner looks for years that it never comes to; at the end of time dates end too.
  if (atMs < 0 || atMs >= endMs) return null
  if (interval.type === 'minutely')
    return Math.floor(atMs / (interval.every * minute)) * interval.every * minute
  if (interval.type === 'hourly') return hourlyFrom(interval, Math.floor(atMs / minute) * minute, -minute)
  if (interval.type === 'cron') {
    const candidates = interval.cron.previousRuns(2, new Date(atMs + 1000)).map((date) => date.getTime())
    return candidates.find((at) => at <= atMs) ?? null
  }
  const today = wallDateAt(interval.zone, atMs)
  for (let days = 1; days > -searchDays; days--) {
    const date = addDays(today, days)
    if (!isDay(interval, date)) continue
    const at = instantOf(interval.zone, date, interval.hour, interval.minute)
    if (at <= atMs) return at
  }
  return null
}

function hourlyFrom(
  interval: { minute: number; zone: string },
  startMs: number,
  stepMs: number,
): number | null {
  for (let n = 0, at = startMs; n < 180; n++, at += stepMs) {
    const wall = new Date(at + offsetAt(interval.zone, at))
    if (wall.getUTCMinutes() === interval.minute) return at
  }
  return null
}

/** Is it due on that day? */
export function isDay(interval: Extract<Interval, { hour: number }>, date: WallDate): boolean {
  if (interval.weekdays) return interval.weekdays.includes(weekdayOf(date))
  if (interval.day !== undefined) return date.day === interval.day
  if (!interval.nth) return true
  if (weekdayOf(date) !== interval.nth.weekday) return false
  return interval.nth.nth === 'last'
    ? date.day + 7 > daysInMonth(date)
    : Math.ceil(date.day / 7) === interval.nth.nth
}

const ordinals = ['', '1st', '2nd', '3rd', '4th', '5th']

/** The tags of a tick when a schedule gives no labels of its own. */
export function derivedLabels(given: unknown, interval: Interval): string[] {
  const raw = isPlainObject(given) ? given : {}
  const labels = [`interval:${String(raw['type'])}`]
  if (interval.type === 'minutely') labels.push(`every:${interval.every}`)
  if (interval.type === 'hourly') labels.push(`minute:${interval.minute}`)
  if ('hour' in interval) {
    labels.push(`time:${String(interval.hour).padStart(2, '0')}:${String(interval.minute).padStart(2, '0')}`)
    if (interval.weekdays) labels.push(`weekdays:${interval.weekdays.map((day) => weekdays[day]).join('-')}`)
    if (interval.day !== undefined) labels.push(`day:${interval.day}`)
    if (interval.nth) {
      const nth = interval.nth.nth === 'last' ? 'last' : ordinals[interval.nth.nth]
      labels.push(`nth:${nth}-${weekdays[interval.nth.weekday]}`)
    }
  }
  return labels
}
