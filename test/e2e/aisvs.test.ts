// test/aisvs.yaml names tests that are there, and claims nothing without one.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { aisvsLines } from '../docs/aisvs-page.ts'
import { repository } from '../docs/pages.ts'

it('every line has a state, a reason and, unless it is not held, a test that exists', () => {
  const lines = aisvsLines()
  expect(lines.length).toBe(57)
  expect(lines.filter(([, state]) => state === 'held').length).toBeGreaterThanOrEqual(45)
  expect(new Set(lines.map(([id]) => id)).size).toBe(lines.length)
  for (const [id, state, reason, test] of lines) {
    expect(['held', 'partly', 'not'], id).toContain(state)
    expect(reason, id).not.toBe('')
    expect(state === 'not' ? test === '' : existsSync(join(repository, test)), `${id} ${test}`).toBe(true)
  }
})
