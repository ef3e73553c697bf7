// The straight line through samples by least squares, with the range in which its slope lies 19 times of 20. Samples
// that follow each other closely resemble each other, which would make the range look smaller than it is: they are
// averaged over parts of the run first.

const maxParts = 60

/** `samples` are `{ hours, value }`; the slope is per hour. */
export function slopeOf(samples) {
  const points = inParts(samples)
  const count = points.length
  const mean = (of) => points.reduce((sum, point) => sum + of(point), 0) / count
  const [atHour, atValue] = [mean(({ hours }) => hours), mean(({ value }) => value)]
  const spread = points.reduce((sum, { hours }) => sum + (hours - atHour) ** 2, 0)
  const slope =
    points.reduce((sum, { hours, value }) => sum + (hours - atHour) * (value - atValue), 0) / spread
  const missed = points.reduce(
    (sum, { hours, value }) => sum + (value - atValue - slope * (hours - atHour)) ** 2,
    0,
  )
  const margin = studentT(count - 2) * Math.sqrt(missed / Math.max(1, count - 2) / spread)
  return { mean: atValue, slope, margin }
}

function inParts(samples) {
  const size = Math.max(5, Math.ceil(samples.length / maxParts))
  const whole = Math.max(1, Math.floor(samples.length / size))
  return Array.from({ length: whole }, (_, part) => {
    const own = samples.slice(part * size, (part + 1) * size)
    const mean = (of) => own.reduce((sum, one) => sum + of(one), 0) / own.length
    return { hours: mean(({ hours }) => hours), value: mean(({ value }) => value) }
  })
}

/** The factor for 19 times of 20 with so many degrees of freedom; within 1 % from 3 on. */
function studentT(freedom) {
  const known = { 1: 12.71, 2: 4.3 }[freedom]
  return known ?? 1.96 + 2.37 / freedom + 2.8 / freedom ** 2 + 2.6 / freedom ** 3
}

/** Grows: the whole range lies above nothing, and the run added more than a twentieth of what there is. */
export function grows({ mean, slope, margin }, hours) {
  return slope - margin > 0 && slope * hours > Math.abs(mean) / 20
}
