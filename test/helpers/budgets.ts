// Figures that are kept to: each is printed when it is measured, and demanded where the machine is free
// to show it. A size or a count is demanded always.
import { availableParallelism, loadavg } from 'node:os'
import { expect } from 'vitest'

const isFree = () => loadavg()[0]! < availableParallelism()

/** A count or a size. */
export function demand(what: string, value: number, most: number): void {
  console.log(`console: ${what}: ${Math.round(value * 10) / 10} (at most ${most})`)
  expect(value, what).toBeLessThanOrEqual(most)
}

/** A time. */
export function demandMs(what: string, ms: number, most: number): void {
  const load = isFree() ? '' : `, not demanded at a load of ${Math.round(loadavg()[0]!)}`
  console.log(`console: ${what}: ${Math.round(ms)} ms (at most ${most} ms${load})`)
  if (isFree()) expect(ms, what).toBeLessThanOrEqual(most)
}

export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.ceil(part * sorted.length) - 1)] ?? 0
}
