// Hostile Python behind the fence: every way out is tried for real, and the wall that stops it is named.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { realPython } from '../fenced.ts'
import { has } from '../system-parts.ts'
import { Grounds, walls } from './grounds.ts'
import { pythonCases, pythonDriver } from './python-cases.ts'

interface Result {
  readonly index: number
  readonly escaped: boolean
  readonly error: string
}

const python = has('bwrap') ? realPython() : undefined

describe.skipIf(python === undefined)('Python', () => {
  const grounds = new Grounds()
  const results = new Map<number, Result>()
  let output = ''

  beforeAll(async () => {
    await grounds.open()
    const { project } = grounds.crib
    writeFileSync(
      join(project, 'cases.json'),
      JSON.stringify(pythonCases.map(({ code }) => grounds.fill(code))),
    )
    const ended = await grounds.crib.run(
      {
        file: python!,
        args: ['-I', '-c', pythonDriver, 'cases.json'],
        cwd: project,
        env: { PATH: '/usr/bin:/bin', HOME: '/home/tool' },
      },
      { write: [join(project, 'out')] },
      { timeoutMs: 100_000 },
    )
    output = ended.stdout.text + ended.stderr.text
    for (const line of ended.stdout.text.split('\n').filter(Boolean)) {
      const result = JSON.parse(line) as Result
      results.set(result.index, result)
    }
  }, 120_000)

  afterAll(() => grounds.close())

  it.each(pythonCases.map((given, index) => ({ ...given, index })))('cannot $name', ({ wall, index }) => {
    expect(results.get(index), output.slice(-500)).toMatchObject({
      escaped: false,
      error: expect.stringMatching(walls[wall]),
    })
  })

  it('has at least 60 ways out to try', () => {
    expect(pythonCases.length).toBeGreaterThanOrEqual(60)
    expect(results.size).toBe(pythonCases.length)
  })

  it('leaves the host as it was and the canary unseen', () => {
    expect(grounds.damage()).toEqual([])
    expect(output).not.toContain(grounds.canary)
  })
})
