// Moments and spans of time in words.
import { useEffect, useState } from 'preact/hooks'

const units: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
]
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' })
const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })

/** `3 min. ago`, `in 2 hr.` */
function relativeTime(moment: string, now = Date.now()): string {
  const seconds = Math.round((Date.parse(moment) - now) / 1000)
  if (Number.isNaN(seconds)) return moment
  if (Math.abs(seconds) < 2) return 'now'
  const [unit, size] = units.find(([, length]) => Math.abs(seconds) >= length)!
  return relative.format(Math.round(seconds / size), unit)
}

/** In the viewer's zone. */
export function localTime(moment: string): string {
  const date = new Date(moment)
  return Number.isNaN(date.getTime()) ? moment : full.format(date)
}

/** `0.4 ms`, `12 ms`, `3.2 s`, `4 min` */
export function duration(ms: number): string {
  if (ms < 10) return `${ms.toFixed(1)} ms`
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`
}

/** A moment that keeps itself up to date. */
export function Ago({ moment }: { moment: string }) {
  const [, tick] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => tick((count) => count + 1), 5_000)
    return () => clearInterval(timer)
  }, [])
  return (
    <time dateTime={moment} title={localTime(moment)} class="nowrap">
      {relativeTime(moment)}
    </time>
  )
}
