// The official MCP conformance suite against a served crib and against a crib as the client of other servers (U8).
// `npm run scoreboard` writes the counts anew.
import { readFileSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { verifies } from '../../helpers/verifies.ts'
import { judge, notApplicable, runOf, runs } from './runs.ts'
import { whyNot } from './suite.ts'

const reason = whyNot()
if (reason) console.warn(`The conformance suite is skipped: ${reason}`)

const countsFile = new URL('counts.json', import.meta.url)
const counts = JSON.parse(readFileSync(countsFile, 'utf8')) as { [run: string]: object }
const needed = new Set<string>()

it.skipIf(reason).each(runs)(
  'passes every scenario for a $side: $what',
  { timeout: 300_000 },
  async (run) => {
    verifies('U8')
    const { side, what } = run
    const judged = judge(side, await runOf(run))
    expect(judged.unexpected).toEqual([])
    for (const one of judged.needed) needed.add(`${side} ${one}`)
    const name = `${side}, ${what}`
    if (process.env['UPDATE_SCOREBOARD']) counts[name] = judged.counts
    // All scenarios ran: a suite that finds nothing to check would pass too.
    expect(judged.counts).toEqual(counts[name])
  },
)

it.skipIf(reason)('has no reason for a scenario that passes', () => {
  const listed = Object.entries(notApplicable).flatMap(([side, known]) =>
    Object.keys(known).map((what) => `${side} ${what}`),
  )
  expect([...needed].sort()).toEqual(listed.sort())
  if (process.env['UPDATE_SCOREBOARD']) writeFileSync(countsFile, `${JSON.stringify(counts, null, 2)}\n`)
})
