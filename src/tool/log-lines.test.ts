import { expect, it } from 'vitest'
import { keepLine } from './log-lines.ts'
import type { LogLine } from './outcome.ts'

it('keeps ten thousand lines and says once that the rest is dropped', () => {
  const lines: LogLine[] = []
  for (let n = 0; n < 10_003; n++) keepLine(lines, { level: 'info', message: `line ${n}`, atMs: n })
  expect(lines).toHaveLength(10_001)
  expect(lines.slice(-2)).toEqual([
    { level: 'info', message: 'line 9999', atMs: 9999 },
    { level: 'warn', message: '[more than 10000 log lines, the rest is dropped]', atMs: 10_000 },
  ])
})
