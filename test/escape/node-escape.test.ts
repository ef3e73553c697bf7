// Hostile JavaScript in Node behind the fence: every way out is tried for real, and the wall that stops it is named.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { proves } from '../proves.ts'
import { has } from '../system-parts.ts'
import { type CaseResult, Grounds, readResults, tally, walls } from './grounds.ts'
import { nodeCases, nodeDriver } from './node-cases.ts'

describe.skipIf(!has('bwrap') || !has('perl'))('Node', () => {
  const grounds = new Grounds()
  let results = new Map<number, CaseResult>()
  let output = ''

  beforeAll(async () => {
    await grounds.open()
    const { project } = grounds.crib
    writeFileSync(
      join(project, 'cases.json'),
      JSON.stringify(nodeCases.map(({ code }) => grounds.fill(code))),
    )
    const ended = await grounds.crib.run(
      {
        file: process.execPath,
        args: ['-e', nodeDriver, 'cases.json'],
        cwd: project,
        env: { PATH: '/usr/bin:/bin', HOME: '/home/tool' },
      },
      { write: [join(project, 'out')] },
      { timeoutMs: 150_000, reservedMb: 1024 },
    )
    output = ended.stdout.text + ended.stderr.text
    results = readResults(ended.stdout.text)
  }, 180_000)

  afterAll(() => grounds.close())

  it.each(nodeCases.map((given, index) => ({ ...given, index })))('cannot $name', ({ wall, index }) => {
    expect(results.get(index), output.slice(-500)).toMatchObject({
      escaped: false,
      error: expect.stringMatching(walls[wall]),
    })
  })

  it('has at least 60 ways out to try', () => {
    proves('escape-corpus')
    expect(nodeCases.length).toBeGreaterThanOrEqual(60)
    expect(results.size).toBe(nodeCases.length)
    tally('Node', nodeCases, [...results.values()])
  })

  it('leaves the host as it was and the canary unseen', () => {
    expect(grounds.damage()).toEqual([])
    expect(output).not.toContain(grounds.canary)
  })
})
