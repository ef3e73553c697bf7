// Moments as a clock on the wall shows them, and back.

export type Zone = 'local' | 'utc'

const minuteMs = 60_000

/** `2026-05-31T14:30:00`, or nothing for what is no moment. */
export function wallTime(moment: string, zone: Zone): string {
  const ms = Date.parse(moment)
  if (Number.isNaN(ms)) return ''
  const shift = zone === 'utc' ? 0 : new Date(ms).getTimezoneOffset() * minuteMs
  return new Date(ms - shift).toISOString().slice(0, 19)
}

/** The moment at which a clock of the zone shows this. */
export function momentIn(wall: string, zone: Zone): string | null {
  const full = wall.length === 16 ? `${wall}:00` : wall
  const date = new Date(zone === 'utc' ? `${full}Z` : full)
  if (Number.isNaN(date.getTime())) return null
  if (zone === 'utc') return `${full}Z`
  const minutes = -date.getTimezoneOffset()
  const two = (value: number) => String(Math.floor(Math.abs(value))).padStart(2, '0')
  return `${full}${minutes < 0 ? '-' : '+'}${two(minutes / 60)}:${two(minutes % 60)}`
}
