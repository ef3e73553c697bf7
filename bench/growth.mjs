// How cost grows with the amount of work: one measurement at 1×, 10× and 100×, and the exponent of the curve
// through them (1 = in proportion, 0 = flat).
import { median } from './harness.mjs'

/** `growth` is `{ about, unit, what, sizes, rounds?, setup(size) → { measure, teardown? } }`. */
export async function measureGrowth({ about, unit, what, sizes, rounds = 5, setup }) {
  const points = []
  for (const size of sizes) {
    const { measure, teardown } = await setup(size)
    try {
      await measure()
      const values = []
      for (let round = 0; round < rounds; round++) values.push(await measure())
      points.push({ size, value: median(values) })
    } finally {
      await teardown?.()
    }
  }
  const [first, last] = [points[0], points.at(-1)]
  const exponent = Math.log(last.value / first.value) / Math.log(last.size / first.size)
  return { about, unit, what, points, exponent: Math.round(exponent * 100) / 100 }
}

export function growthTable(name, { about, unit, what, points, exponent }) {
  const rows = points.map(
    ({ size, value }) => `  ${String(size).padStart(8)} ${what}  ${value.toFixed(3)} ${unit}`,
  )
  return [`${name}: ${about}`, ...rows, `  grows with exponent ${exponent}`].join('\n')
}
