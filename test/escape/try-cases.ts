// One runner for every hostile language: tries all cases behind the fence, holds each to the wall that claims it, and
// looks at the host afterwards.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { engines, FencedCrib } from '../helpers/fenced.ts'
import { type CaseResult, type EscapeCase, Grounds, readResults, tally, walls } from './grounds.ts'

export interface Tried {
  readonly results: ReadonlyMap<number, CaseResult>
  /** Everything that was printed. */
  readonly output: string
}

export interface Trial {
  readonly name: string
  readonly cases: readonly EscapeCase[]
  /** Something it needs is not here. */
  readonly skip: boolean
  /** Names the claims that holding proves; said in the test's own file, where citations are looked for. */
  cite(): void
  attempt(grounds: Grounds): Promise<Tried>
}

export function tryCases({ name, cases, skip, cite, attempt }: Trial): void {
  if (skip) console.info(`skipped: escape corpus, ${name}: a program it needs is missing`)
  describe.skipIf(skip).each(engines)(`${name}, behind %s`, (engine) => {
    const grounds = new Grounds(new FencedCrib({ engine }))
    let tried: Tried = { results: new Map(), output: '' }

    beforeAll(async () => {
      await grounds.open()
      tried = await attempt(grounds)
    }, 240_000)

    afterAll(() => grounds.close())

    it.each(cases.map((given, index) => ({ ...given, index })))('cannot $name', ({ wall, index }) => {
      expect(tried.results.get(index), tried.output.slice(-500)).toMatchObject({
        escaped: false,
        error: expect.stringMatching(walls[wall]),
      })
    })

    it('has at least 60 ways out to try', () => {
      cite()
      expect(cases.length).toBeGreaterThanOrEqual(60)
      expect(tried.results.size).toBe(cases.length)
      tally(`${name}, behind ${engine}`, cases, [...tried.results.values()])
    })

    it('leaves the host as it was and the canary unseen', () => {
      expect(grounds.damage()).toEqual([])
      expect(tried.output).not.toContain(grounds.canary)
    })
  })
}

/** Runs a driver that reads its cases from a file and prints a line of JSON for each. */
export async function runDriver(
  grounds: Grounds,
  cases: readonly EscapeCase[],
  program: { readonly file: string; readonly args: readonly string[]; readonly reservedMb?: number },
): Promise<Tried> {
  const { project } = grounds.crib
  writeFileSync(join(project, 'cases.json'), JSON.stringify(cases.map(({ code }) => grounds.fill(code))))
  const ended = await grounds.crib.run(
    {
      file: program.file,
      args: [...program.args, 'cases.json'],
      cwd: project,
      env: { PATH: '/usr/bin:/bin', HOME: '/home/tool' },
    },
    { write: [join(project, 'out')] },
    { timeoutMs: 200_000, ...(program.reservedMb === undefined ? {} : { reservedMb: program.reservedMb }) },
  )
  return { results: readResults(ended.stdout.text), output: ended.stdout.text + ended.stderr.text }
}
