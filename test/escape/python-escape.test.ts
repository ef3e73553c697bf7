// Hostile Python behind the fence: every way out is tried for real, and the wall that stops it is named.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { realPython } from '../fenced.ts'
import { proves } from '../proves.ts'
import { has } from '../system-parts.ts'
import { type CaseResult, Grounds, readResults, tally, walls } from './grounds.ts'
import { pythonCases, pythonDriver } from './python-cases.ts'

const python = has('bwrap') ? realPython() : undefined

describe.skipIf(python === undefined)('Python', () => {
  const grounds = new Grounds()
  let results = new Map<number, CaseResult>()
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
    results = readResults(ended.stdout.text)
  }, 120_000)

  afterAll(() => grounds.close())

  it.each(pythonCases.map((given, index) => ({ ...given, index })))('cannot $name', ({ wall, index }) => {
    expect(results.get(index), output.slice(-500)).toMatchObject({
      escaped: false,
      error: expect.stringMatching(walls[wall]),
    })
  })

  it('has at least 60 ways out to try', () => {
    proves('escape-corpus')
    expect(pythonCases.length).toBeGreaterThanOrEqual(60)
    expect(results.size).toBe(pythonCases.length)
    tally('Python', pythonCases, [...results.values()])
  })

  it('leaves the host as it was and the canary unseen', () => {
    expect(grounds.damage()).toEqual([])
    expect(output).not.toContain(grounds.canary)
  })
})
