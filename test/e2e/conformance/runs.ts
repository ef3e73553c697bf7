// Every scenario of the conformance suite that is for a crib: as a server and as a client, in both eras, and the
// extensions. What they came to is told per run.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { openEverythingCrib } from './everything-crib.ts'
import { runSuite, type ScenarioResult } from './suite.ts'

type Side = 'server' | 'client'

interface Run {
  readonly side: Side
  /** What is run, in words. */
  readonly what: string
  /** Each is one start of the suite. */
  readonly args: readonly (readonly string[])[]
}

const eras = ['2025-11-25', '2026-07-28']
const skills = ['directory', 'enumeration', 'manifest']

export const runs: readonly Run[] = [
  ...eras.map((era) => ({ side: 'server' as const, what: era, args: [['--requirements', era]] })),
  { side: 'server', what: 'skills', args: skills.map((name) => ['--scenario', `sep-2640-skills-${name}`]) },
  ...eras.map((era) => ({ side: 'client' as const, what: era, args: [['--requirements', era]] })),
]

/** Runs it; the results of its scenarios. */
export async function runOf({ side, args }: Run): Promise<ScenarioResult[]> {
  const results: ScenarioResult[] = []
  if (side === 'client') {
    const client = fileURLToPath(new URL('crib-client.mjs', import.meta.url))
    for (const each of args)
      results.push(...(await runSuite(['client', '--command', `node ${client}`, ...each])))
    return results
  }
  const crib = await openEverythingCrib()
  try {
    for (const each of args) results.push(...(await runSuite(['server', '--url', crib.url, ...each])))
    return results
  } finally {
    await crib.close()
  }
}

/** By side: scenario or `scenario:check`, and why it does not apply. */
export const notApplicable = parse(readFileSync(new URL('not-applicable.yml', import.meta.url), 'utf8')) as {
  readonly [side in Side]: { readonly [what: string]: string }
}

/** The failures that no reason stands for, and the reasons that these results do not need. */
export function judge(side: Side, results: readonly ScenarioResult[]) {
  const known = notApplicable[side]
  const failed = results.flatMap(({ scenario, failed: checks }) =>
    Object.entries(checks).map(([check, said]) => ({ scenario, check, said })),
  )
  const isKnown = ({ scenario, check }: { scenario: string; check: string }) =>
    scenario in known || `${scenario}:${check}` in known
  const ran = new Set(results.map(({ scenario }) => scenario))
  const needed = new Set(failed.flatMap(({ scenario, check }) => [scenario, `${scenario}:${check}`]))
  return {
    unexpected: failed.filter((one) => !isKnown(one)),
    needed: Object.keys(known).filter((what) => needed.has(what)),
    counts: {
      scenarios: ran.size,
      checks: results.reduce((sum, { passed }) => sum + passed.length, 0),
      notApplicable: new Set(failed.filter(isKnown).map(({ scenario }) => scenario)).size,
      skippedBySuite: results.filter(
        ({ passed, failed: bad }) => passed.length + Object.keys(bad).length === 0,
      ).length,
    },
  }
}
