// Hints, followed: what the program says is done as it says, once, and then what was refused works. What a hint gives as
// a command is run, what it gives as a line for toolcrib.yaml is written there; the rest a case does by hand. A hint
// of the source that no test follows stands in not-followed.ts; a new one fails here until a test follows it.
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openCrib } from '../../../src/index.ts'
import { hintFor } from '../../../src/tool/problem-hints.ts'
import { saysHint, sourceHints } from '../../helpers/source-hints.ts'
import { tempFolder, writeFiles } from '../../helpers/temp-folder.ts'
import type { Ran } from '../../helpers/toolcrib.ts'
import { toolcribHere as toolcrib } from '../../helpers/toolcrib-here.ts'
import { type Case, cases, type Files } from './cases.ts'
import { morePairs } from './more-pairs.ts'
import { notFollowed } from './not-followed.ts'
import { beside, pairs, standardPairs } from './pairs.ts'
import { put } from './put.ts'
import { tables } from './tables.ts'

const hints = sourceHints()
const followed = new Set<string>()

function note(said: string): number {
  const found = hints.filter((hint) => saysHint(hint, said))
  for (const { text } of found) followed.add(text)
  return found.length
}

const saidBy = (ran: Ran) => `${ran.stderr}\n${ran.stdout}`

/** Commands that a hint gives, but for those with a gap and those that stay. */
function commandsIn(said: string): string[][] {
  return [...said.matchAll(/`toolcrib ([^`]+)`(?! with its)/g)]
    .map(([, line]) => line!)
    .filter((line) => !/[<…]|^serve|^login/.test(line))
    .map((line) => line.split(' '))
}

async function follow({ byHand, env = {} }: Case, said: string, cwd: string): Promise<void> {
  const line = /(?:toolcrib\.yaml: )((?:grants|offers|tools): \{.*\})/.exec(said)?.[1]
  if (line !== undefined) appendFileSync(join(cwd, 'toolcrib.yaml'), `\n${line}\n`)
  if (byHand && !('again' in byHand)) put(cwd, byHand as Files)
  for (const args of commandsIn(said)) {
    const isAsking = ['approve', 'trust', 'lock'].includes(args[0]!)
    const ran = await toolcrib([...args, ...(isAsking ? ['--yes'] : [])], { cwd, env, input: 'value' })
    expect([args.join(' '), ran.code === 2 ? ran.stderr : '']).toEqual([args.join(' '), ''])
  }
}

it.each(Object.entries(cases))(
  '%s',
  async (_, each) => {
    const cwd = tempFolder()
    put(cwd, each.files ?? {})
    const env = each.env ?? {}
    for (const step of each.first ?? []) {
      if (Array.isArray(step)) await toolcrib(step, { cwd, env })
      else put(cwd, step as Files)
    }
    const refused = await toolcrib(each.run, { cwd, env })
    const said = saidBy(refused)
    if (!each.isWarning) expect(refused.code, said).not.toBe(0)
    const found = hints.filter((hint) => saysHint(hint, said))
    await follow(each, said, cwd)
    if (!each.isAnswered) {
      const again = each.byHand && 'again' in each.byHand ? (each.byHand.again as string[]) : each.run
      const ran = await toolcrib(again, { cwd, env })
      expect({ code: ran.code, said: ran.code === 0 ? '' : saidBy(ran) }).toEqual({ code: 0, said: '' })
      if (each.isWarning) expect(found.filter((hint) => saysHint(hint, saidBy(ran)))).toEqual([])
    }
    expect(note(said), said).toBeGreaterThan(0)
  },
  60_000,
)

interface Found {
  readonly file?: string
  readonly code: string
  readonly message: string
  readonly hint: string
}

it.each([
  ['check', [], pairs],
  ['check against the standard of skills', ['--spec', 'agentskills'], standardPairs],
] as const)(
  'following what %s says removes every problem',
  async (_, more, given) => {
    const texts = (at: 0 | 1) =>
      Object.fromEntries(Object.entries(given).map(([path, pair]) => [path, pair[at]]))
    const cwd = tempFolder({ ...(given === pairs ? beside : {}), ...texts(0) })
    const problemsNow = async (): Promise<Found[]> =>
      (await toolcrib(['check', '--json', ...more], { cwd })).json.problems
    const before = await problemsNow()
    expect(before.filter(({ hint }) => !hint || hint === hintFor(''))).toEqual([])
    const named = new Set(before.map(({ file }) => file?.replace(`${cwd}/`, '')))
    expect(Object.keys(given).filter((path) => !named.has(path))).toEqual([])
    writeFiles(cwd, texts(1))
    const left = await problemsNow()
    expect(left.map(({ file, code, message, hint }) => ({ file, code, message, hint }))).toEqual([])
    for (const { hint } of before) note(hint)
  },
  60_000,
)

it.each(Object.entries(morePairs))('check: %s', async (_, [broken, fixed]) => {
  const root = tempFolder()
  const problemsNow = async () => {
    await using crib = await openCrib({ root })
    return (await crib.check()).problems
  }
  put(root, broken)
  const before = await problemsNow()
  expect(before).not.toEqual([])
  put(root, fixed)
  const left = await problemsNow()
  expect(left.map(({ file, code, message, hint }) => ({ file, code, message, hint }))).toEqual([])
  for (const { hint } of before) note(hint)
})

// Where a table has the hint for a key, its test follows it (tables are run beside this file), so it
// need not be followed here. What no program can follow stands in not-followed.ts, under the reason.
it('every hint of the source is followed by a test, or stands under a reason why none can', () => {
  const texts = new Set(hints.map(({ text }) => text))
  const marked = new Set(tables.flatMap((table) => Object.keys(table)))
  const named = notFollowed.flatMap(({ hints: each }) => each)
  const done = (text: string) => followed.has(text) || marked.has(text)
  expect([...texts].filter((text) => !done(text) && !named.includes(text)).sort()).toEqual([])
  expect([...marked, ...named].filter((text) => !texts.has(text))).toEqual([])
  expect(named.filter((text, index) => named.indexOf(text) !== index)).toEqual([])
})
