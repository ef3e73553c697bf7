// What `day-of` delegates to: calendar arithmetic in UTC, so that no time zone shifts a day.
const dayMs = 86_400_000
const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

export default function dayOf(_ctx, { date, from }) {
  const day = Date.parse(`${date}T00:00:00Z`)
  const start = from ? Date.parse(`${from}T00:00:00Z`) : today()
  return {
    weekday: weekdays[new Date(day).getUTCDay()],
    week: isoWeek(day),
    days: Math.round((day - start) / dayMs),
  }
}

function today() {
  const now = new Date()
  return Date.UTC(now.getFullYear(), now.getMonth(), now.getDate())
}

/** The week that holds the Thursday of the day's own week, counted from the year's first Thursday. */
function isoWeek(day) {
  const thursday = day + (4 - (new Date(day).getUTCDay() || 7)) * dayMs
  const first = Date.UTC(new Date(thursday).getUTCFullYear(), 0, 1)
  return Math.ceil(((thursday - first) / dayMs + 1) / 7)
}
