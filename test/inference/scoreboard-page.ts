// The page docs/scoreboard.md: figures of the repository that a reader can make again with `npm run scoreboard`.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { aisvsLines } from '../docs/aisvs-page.ts'
import { repository } from '../docs/pages.ts'
import { table } from '../docs/table.ts'
import { argumentCases } from '../escape/command-cases.ts'
import { denoCases } from '../escape/deno-cases.ts'
import { nodeCases } from '../escape/node-cases.ts'
import { pythonCases } from '../escape/python-cases.ts'
import { shellCases } from '../escape/shell-cases.ts'
import { citedIds } from '../helpers/cited-ids.ts'
import { requirements } from '../helpers/requirements.ts'
import { corpus, faultsOf, type Nature } from './corpus.ts'
import { timeSection } from './time-section.ts'

/** What reading code tells of the corpus; the same on every machine. */
export function inferenceSection(): string {
  const all = corpus()
  const languages = [...new Set(all.map(({ language }) => language))]
  const right = (nature: Nature, language?: string) => {
    const own = all.filter((one) => one.nature === nature && (!language || one.language === language))
    const wrong = own.filter((one) => faultsOf(one).length > 0).length
    return {
      own: own.length,
      wrong,
      share: (count: number) => `${((100 * count) / own.length).toFixed(1)} %`,
    }
  }
  const row = (name: string, language?: string) => {
    const hostile = right('hostile', language)
    const harmless = right('harmless', language)
    return [
      name,
      String(hostile.own),
      hostile.share(hostile.own - hostile.wrong),
      String(harmless.own),
      harmless.share(harmless.wrong),
    ]
  }
  return [
    '## Reading code for what it touches',
    '',
    'A hostile tool counts when every capability it must be accused of is named; a harmless one is accused when one is named that it does not use. The aims are at least 95 % and at most 2 %. The tools are our own and stand in [test/inference/fixtures](../test/inference/fixtures); the reader was written knowing them, so expect less of code it has not met.',
    '',
    table(
      ['language', 'hostile tools', 'named', 'harmless tools', 'accused'],
      [...languages.map((language) => row(language, language)), row('all')],
    ),
    '',
    firstSeenSection(),
  ].join('\n')
}

interface FirstSeen {
  readonly rounds: readonly FirstRound[]
  readonly public: {
    readonly date: string
    readonly scripts: number
    readonly findings: number
    readonly wrong: number
    readonly files: number
    readonly withMiss: number
    readonly again: { readonly findings: number; readonly wrong: number }
  }
}

interface FirstRound {
  readonly date: string
  readonly folder: string
  /** Faults that were those of what was expected. */
  readonly expectedWrongly: number
  readonly written: {
    readonly [language: string]: {
      readonly hostile: number
      readonly missed: number
      readonly harmless: number
      readonly accused: number
    }
  }
}

/** What reading made of code that it was not written for, when it met it first. */
function firstSeenSection(): string {
  const { rounds, public: seen } = JSON.parse(
    readFileSync(join(repository, 'test/inference/first-seen.json'), 'utf8'),
  ) as FirstSeen
  return [
    '### First time seen',
    '',
    'Each of these sets was written without a look at the reader or its corpus. The tables have what it made of them before anything was changed; since then they are part of the figures above.',
    '',
    ...rounds.flatMap((round) => [firstRound(round), '']),
    `On ${seen.date} it read ${seen.scripts.toLocaleString('en')} scripts of public repositories. Of ${seen.findings} findings taken at random and looked at by hand, ${seen.wrong} were wrong; of ${seen.files} files read whole, ${seen.withMiss} touched something that was neither named nor told as unknown. After their causes were fixed, ${seen.again.wrong} of ${seen.again.findings} other findings were wrong.`,
  ].join('\n')
}

function firstRound({ date, folder, expectedWrongly, written }: FirstRound): string {
  const rows = Object.entries(written)
  const sum = (key: 'hostile' | 'missed' | 'harmless' | 'accused') =>
    rows.reduce((total, [, counts]) => total + counts[key], 0)
  const share = (part: number, whole: number) => `${((100 * part) / whole).toFixed(1)} %`
  const row = (name: string, hostile: number, missed: number, harmless: number, accused: number) => [
    name,
    String(hostile),
    share(hostile - missed, hostile),
    String(harmless),
    share(accused, harmless),
  ]
  return [
    `${date}, ${sum('hostile')} hostile and ${sum('harmless')} harmless tools ([fixtures/${folder}](../test/inference/fixtures/${folder})). Of ${sum('missed') + sum('accused')} faults ${expectedWrongly} were of what was expected:`,
    '',
    table(
      ['language', 'hostile tools', 'named', 'harmless tools', 'accused'],
      [
        ...rows.map(([name, { hostile, missed, harmless, accused }]) =>
          row(name, hostile, missed, harmless, accused),
        ),
        row('all', sum('hostile'), sum('missed'), sum('harmless'), sum('accused')),
      ],
    ),
  ].join('\n')
}

/** From the last run of test/e2e/learn-examples.test.ts, which fails when it finds anything else. */
export function learnedSection(): string {
  const { tools, calls, grants } = JSON.parse(
    readFileSync(join(repository, 'test/inference/learned.json'), 'utf8'),
  ) as { tools: number; calls: number; grants: { readonly [tool: string]: string } }
  const needing = Object.values(grants).filter((list) => list !== '').length
  return [
    '## Tools that run with exactly their learned grants',
    '',
    `All ${tools} tools of [examples](../examples) and of what ships that have examples were watched, and then ran their ${calls} examples with exactly the grants that were proposed: ${tools} of ${tools} with the same outcomes, and without a grant that could be left out. A tool whose example shows a denial keeps what it has. ${needing} of them need a grant, ${tools - needing} none. \`test/e2e/learn-examples.test.ts\` does it again.`,
  ].join('\n')
}

function escapeSection(): string {
  const counts: readonly (readonly [string, number])[] = [
    ['Python', pythonCases.length],
    ['Node', nodeCases.length],
    ['Deno', denoCases.length],
    ['shell', shellCases.length],
    ['arguments of commands', argumentCases.length],
  ]
  return [
    '## Ways out of the fence that are tried',
    '',
    'Every one is run for real by `npm test` where a fence can be made, and must be stopped by the wall that claims it ([Security](security.md)).',
    '',
    table(
      ['corpus', 'cases'],
      counts.map(([name, count]) => [name, String(count)]),
    ),
  ].join('\n')
}

function aisvsSection(): string {
  const lines = aisvsLines()
  const count = (state: string) => lines.filter((line) => line[1] === state).length
  return [
    '## OWASP AISVS, chapters C9 and C10',
    '',
    `Of ${lines.length} lines ${count('held')} are held, ${count('partly')} partly, ${count('not')} not ([line by line](aisvs.md)).`,
  ].join('\n')
}

function citedSection(): string {
  const cited = citedIds()
  return [
    '## Rules of the specifications that a test cites',
    '',
    table(
      ['specification', 'rules and cases', 'cited'],
      Object.entries(requirements).map(([name, ids]) => [
        name,
        String(ids.length),
        String(ids.filter((id) => cited.has(id)).length),
      ]),
    ),
  ].join('\n')
}

interface Counts {
  readonly scenarios: number
  readonly checks: number
  readonly notApplicable: number
  readonly skippedBySuite: number
}

/** What the last run of the suite came to; its test fails when that changes. */
function conformanceSection(): string {
  const folder = join(repository, 'test/e2e/conformance')
  const counts = JSON.parse(readFileSync(join(folder, 'counts.json'), 'utf8')) as { [run: string]: Counts }
  const reasons = parse(readFileSync(join(folder, 'not-applicable.yml'), 'utf8')) as {
    readonly [side: string]: { readonly [what: string]: string }
  }
  const pin = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
    readonly devDependencies: { readonly [name: string]: string }
  }
  return [
    '## The MCP conformance suite',
    '',
    `Version ${pin.devDependencies['@modelcontextprotocol/conformance']}, the newest in the registry, against a served crib and against a crib as a client of other servers. Every scenario of both revisions runs; none fails that applies.`,
    '',
    table(
      [
        'run',
        'scenarios',
        'checks passed',
        'scenarios that do not apply, wholly or in part',
        'empty in the suite',
      ],
      Object.entries(counts).map(([run, count]) => [
        run,
        String(count.scenarios),
        String(count.checks),
        String(count.notApplicable),
        String(count.skippedBySuite),
      ]),
    ),
    '',
    'What does not apply, and why:',
    '',
    ...Object.entries(reasons).flatMap(([side, known]) =>
      Object.entries(known).map(([what, why]) => `- ${side}, \`${what}\`: ${why.trim()}`),
    ),
  ].join('\n')
}

export async function scoreboardPage(): Promise<string> {
  const head =
    '# Scoreboard\n\nMade by `npm run scoreboard` from the tests and corpora of the repository; nothing here is written by hand.'
  const sections = [
    inferenceSection(),
    await timeSection(),
    learnedSection(),
    escapeSection(),
    aisvsSection(),
    citedSection(),
    conformanceSection(),
  ]
  return `${[head, ...sections].join('\n\n')}\n`
}
