// The straight line through samples by least squares, with the range in which its slope lies 19 times of 20.

/** `samples` are `{ hours, value }`; the slope is per hour. */
export function slopeOf(samples) {
  const count = samples.length
  const mean = (of) => samples.reduce((sum, sample) => sum + of(sample), 0) / count
  const [atHour, atValue] = [mean(({ hours }) => hours), mean(({ value }) => value)]
  const spread = samples.reduce((sum, { hours }) => sum + (hours - atHour) ** 2, 0)
  const slope =
    samples.reduce((sum, { hours, value }) => sum + (hours - atHour) * (value - atValue), 0) / spread
  const missed = samples.reduce(
    (sum, { hours, value }) => sum + (value - atValue - slope * (hours - atHour)) ** 2,
    0,
  )
  const margin = 1.96 * Math.sqrt(missed / Math.max(1, count - 2) / spread)
  return { mean: atValue, slope, margin }
}

/** Grows: the whole range lies above nothing, and the run added more than a twentieth of what there is. */
export function grows({ mean, slope, margin }, hours) {
  return slope - margin > 0 && slope * hours > Math.abs(mean) / 20
}
