// Measures sides against each other in one interleaved run (A B A B …) and reports medians, spread and ratios.
// A side is a function that does a known amount of work and returns nothing; the scenario says how much.

/** Middle value of a list of numbers. */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

function quartile(values, part) {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]
}

/**
 * Runs every side `rounds` times, alternating. Each side is `{ work, operations, measure? }`: `work` is timed unless
 * `measure` returns the value itself. Results are per operation, in the scenario's unit. `keep: 'last'`: each value
 * already speaks of all rounds before it.
 */
export async function interleave(sides, { rounds = 7, warmUp = 1, unit = 'µs', keep = 'all' } = {}) {
  const samples = Object.fromEntries(Object.keys(sides).map((name) => [name, []]))
  for (let round = -warmUp; round < rounds; round++) {
    for (const [name, side] of Object.entries(sides)) {
      const value = await measured(side, unit)
      if (round < 0) continue
      if (keep === 'last') samples[name].length = 0
      samples[name].push(value)
    }
  }
  return Object.fromEntries(
    Object.entries(samples).map(([name, values]) => [
      name,
      {
        median: median(values),
        low: quartile(values, 0.25),
        high: quartile(values, 0.75),
        rounds: values.length,
      },
    ]),
  )
}

/** What one round of a side comes to, per operation. */
export function measured(side, unit) {
  return side.measure ? side.measure() : timed(side, unit)
}

async function timed(side, unit) {
  const started = performance.now()
  await side.work()
  const ms = (performance.now() - started) / (side.operations ?? 1)
  return unit === 'µs' ? ms * 1000 : ms
}

/** One line per side: median, middle half, ratio to the reference. */
export function tableOf(name, unit, results, reference) {
  const base = results[reference]?.median
  const rows = Object.entries(results).map(([side, { median: middle, low, high }]) => [
    `  ${side}`,
    `${format(middle)} ${unit}`,
    `${format(low)}–${format(high)}`,
    base ? `${format(middle / base)}×` : '',
  ])
  const widths = [0, 1, 2, 3].map((index) => Math.max(...rows.map((row) => row[index].length)))
  return [
    name,
    ...rows.map((row) =>
      row
        .map((cell, index) => (index === 0 ? cell.padEnd(widths[index]) : cell.padStart(widths[index])))
        .join('  '),
    ),
  ].join('\n')
}

export function format(value) {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2)
}
