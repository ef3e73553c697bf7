// Moments and spans of time in the reader's language and zone; UTC is in the title.
import { useComputed } from '@preact/signals'
import { now } from '../state/clock.ts'
import { count, language, say } from '../words/say.ts'

const units: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
]

/** `3 min. ago`, `in 2 hr.` */
export function relativeTime(moment: string, at: number): string {
  const seconds = Math.round((Date.parse(moment) - at) / 1000)
  if (Number.isNaN(seconds)) return moment
  if (Math.abs(seconds) < 2) return say('now')
  const [unit, size] = units.find(([, length]) => Math.abs(seconds) >= length)!
  return new Intl.RelativeTimeFormat(language.value, { numeric: 'auto', style: 'short' }).format(
    Math.round(seconds / size),
    unit,
  )
}

/** In the viewer's zone. */
export function localTime(moment: string): string {
  const date = new Date(moment)
  if (Number.isNaN(date.getTime())) return moment
  return new Intl.DateTimeFormat(language.value, { dateStyle: 'medium', timeStyle: 'medium' }).format(date)
}

/** Hours and minutes. */
export function clockTime(moment: string | number): string {
  return new Intl.DateTimeFormat(language.value, { hour: '2-digit', minute: '2-digit' }).format(
    new Date(moment),
  )
}

/** `0.4 ms`, `12 ms`, `3.2 s`, `4 min 3 s` */
export function duration(ms: number): string {
  if (ms < 10) return `${count(Math.round(ms * 10) / 10)} ms`
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${count(Math.round(ms / 100) / 10)} s`
  const all = Math.round(ms / 1_000)
  if (all < 3_600) return `${Math.floor(all / 60)} min ${all % 60} s`
  return `${count(Math.floor(all / 3_600))} h ${Math.floor((all % 3_600) / 60)} min`
}

/** `US$0.02`: small amounts keep their digits. */
export function money({ amount, currency }: { readonly amount: number; readonly currency: string }): string {
  try {
    return new Intl.NumberFormat(language.value, {
      style: 'currency',
      currency,
      maximumSignificantDigits: 4,
    }).format(amount)
  } catch {
    // A tool may name a currency that is none.
    return `${count(amount)} ${currency}`
  }
}

/** Weekday and time; for axes that cross midnight. */
export function dayAndClock(moment: string): string {
  return new Intl.DateTimeFormat(language.value, {
    weekday: 'short',
    hour: 'numeric',
    minute: '2-digit',
  }).format(new Date(moment))
}

/** Day and month; for axes of more than a day. */
export function dayOf(moment: string): string {
  return new Intl.DateTimeFormat(language.value, { day: 'numeric', month: 'short' }).format(new Date(moment))
}

/** `1.250`: seconds since the beginning, to the thousandth. */
export function seconds(ms: number): string {
  return new Intl.NumberFormat(language.value, { minimumFractionDigits: 3, maximumFractionDigits: 3 }).format(
    ms / 1_000,
  )
}

/** `4:00` */
export function countdown(ms: number): string {
  const left = Math.max(0, Math.ceil(ms / 1_000))
  return `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}`
}

/** For the title of a moment: the same in UTC. */
export function utc(moment: string): string {
  const date = new Date(moment)
  return Number.isNaN(date.getTime()) ? moment : `${localTime(moment)} · ${date.toISOString().slice(0, 19)}Z`
}

/** A moment that keeps itself up to date. */
export function Ago({ moment }: { moment: string }) {
  const words = useComputed(() => relativeTime(moment, now.value))
  return (
    <time dateTime={moment} title={utc(moment)} class="nowrap">
      {words}
    </time>
  )
}

/** A moment as it stands on the wall. */
export function Moment({ moment }: { moment: string }) {
  return (
    <time dateTime={moment} title={utc(moment)} class="nowrap">
      {localTime(moment)}
    </time>
  )
}

/** Time so far, counting. */
export function Elapsed({ since }: { since: string }) {
  const text = useComputed(() =>
    duration(Math.max(0, Math.floor((now.value - Date.parse(since)) / 1000) * 1000)),
  )
  return <span class="nowrap number">{text}</span>
}
