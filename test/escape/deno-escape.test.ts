// Hostile tool-code twice: in the real runtime, where Deno's permissions stop it, and in a Deno with every
// permission behind the same fence, as if those had a hole.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findDeno } from '../../src/config/find-deno.ts'
import { openTestBed, type TestBed, toolOf } from '../../src/runtimes/deno/test-bed.ts'
import { engines, FencedCrib } from '../helpers/fenced.ts'
import { proves } from '../helpers/proves.ts'
import { denoCases, denoLoop } from './deno-cases.ts'
import { type CaseResult, Grounds, readResults, tally, walls } from './grounds.ts'

const numbered = denoCases.map((given, index) => ({ ...given, index }))

describe('tool-code behind the permissions of Deno', () => {
  const grounds = new Grounds()
  const bed: TestBed = openTestBed()
  let results: CaseResult[] = []
  let said = ''

  beforeAll(async () => {
    await grounds.open()
    const tool = toolOf(`export async function execute(input) { const cases = input.cases; ${denoLoop} }`, {
      limits: { memory_mb: 512, timeout_ms: 120_000, cpu_percent: 400 },
    })
    const ran = await bed.run(tool, { cases: denoCases.map(({ code }) => grounds.fill(code)) })
    if (ran.error) throw new Error(ran.error.message)
    results = ran.value as CaseResult[]
    said = JSON.stringify(ran)
  }, 150_000)

  afterAll(async () => {
    await bed.close()
    await grounds.close()
  })

  it.each(numbered)('cannot $name', ({ index }) => {
    expect(results[index]).toMatchObject({
      escaped: false,
      error: expect.stringMatching(walls.permissions),
    })
  })

  it('tries at least 60 ways and leaves the host as it was', () => {
    proves('escape-corpus')
    expect(results).toHaveLength(denoCases.length)
    expect(denoCases.length).toBeGreaterThanOrEqual(60)
    tally(
      'Deno, by its permissions',
      denoCases.map(() => ({ wall: 'permissions' })),
      results,
    )
    expect(grounds.damage()).toEqual([])
    expect(said).not.toContain(grounds.canary)
  })
})

describe.each(engines)('tool-code behind %s alone', (engine) => {
  const grounds = new Grounds(new FencedCrib({ engine }))
  let results = new Map<number, CaseResult>()
  let output = ''

  beforeAll(async () => {
    await grounds.open()
    const { project } = grounds.crib
    // As the runtime does: a folder of its own, nothing of the project, no programs.
    const scratch = join(project, 'out', 'scratch')
    mkdirSync(scratch, { recursive: true })
    const cases = denoCases.map(({ code }) => grounds.fill(code))
    writeFileSync(join(scratch, 'cases.json'), JSON.stringify(cases))
    writeFileSync(
      join(scratch, 'driver.js'),
      `const cases = JSON.parse(Deno.readTextFileSync('cases.json'));
      for (const result of await (async () => { ${denoLoop} })()) console.log(JSON.stringify(result)); Deno.exit(0)`,
    )
    const ended = await grounds.crib.run(
      {
        file: findDeno({ configured: null }),
        args: ['run', '-A', '--no-remote', '--no-npm', '--no-lock', '--no-config', '--quiet', 'driver.js'],
        cwd: scratch,
        env: { DENO_DIR: join(scratch, 'cache'), DENO_NO_UPDATE_CHECK: '1', NO_COLOR: '1' },
      },
      { read: [scratch], write: [scratch], subprocess: false, memoryMb: 1024 },
      { timeoutMs: 120_000, reservedMb: 1024 },
    )
    output = ended.stdout.text + ended.stderr.text
    results = readResults(ended.stdout.text)
  }, 150_000)

  afterAll(() => grounds.close())

  it.each(numbered)('cannot $name', ({ wall, index }) => {
    expect(results.get(index), output.slice(-500)).toMatchObject({
      escaped: false,
      error: expect.stringMatching(walls[wall]),
    })
  })

  it('leaves the host as it was and the canary unseen', () => {
    expect(results.size).toBe(denoCases.length)
    tally('Deno, by the fence alone', denoCases, [...results.values()])
    expect(grounds.damage()).toEqual([])
    expect(output).not.toContain(grounds.canary)
  })
})
