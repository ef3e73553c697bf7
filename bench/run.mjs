// `npm run bench [-- <name>…] [--json] [--check] [--short] [--profile]`: runs the scenarios and prints one table
// each; the result with the machine and versions is kept under bench/results/. `--check` fails when a target of
// targets.json is missed, `--short` takes fewer rounds of the scenarios that have a short form and judges with a
// margin, `--profile` writes a CPU profile a scenario and names its hottest functions.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { growthTable, measureGrowth } from './growth.mjs'
import { interleave, tableOf } from './harness.mjs'
import { machine } from './machine.mjs'
import { hottest, profiled } from './profile.mjs'

const here = new URL('.', import.meta.url)
const args = process.argv.slice(2)
const flag = (name) => args.includes(`--${name}`)
const known = ['--json', '--check', '--short', '--profile']
const wanted = args.filter((arg) => !arg.startsWith('--'))
const misspelt = args.filter((arg) => arg.startsWith('--') && !known.includes(arg))
if (misspelt.length > 0) fail(`There is no option ${misspelt.join(', ')}. Known: ${known.join(', ')}.`)

const scenarios = namesIn('scenarios/')
const growths = namesIn('growth/')
const unknown = wanted.filter((name) => !scenarios.includes(name) && !growths.includes(name))
if (unknown.length > 0)
  fail(`There is no scenario ${unknown.join(', ')}. Known: ${[...scenarios, ...growths].join(', ')}.`)

/** A busy or small machine may be this much worse in a short run before it counts as a miss. */
const margin = flag('short') ? 1.5 : 1
const targets = JSON.parse(readFileSync(new URL('targets.json', here), 'utf8'))
const report = { ...machine(), short: flag('short'), scenarios: {}, growth: {}, skipped: {} }
const missed = []

for (const name of scenarios) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  const { scenario } = await import(new URL(`scenarios/${name}.mjs`, here).href)
  if (flag('short') && !scenario.short) continue
  await runScenario(name, scenario)
}
if (!flag('short'))
  for (const name of growths) {
    if (wanted.length > 0 && !wanted.includes(name)) continue
    const { growth } = await import(new URL(`growth/${name}.mjs`, here).href)
    report.growth[name] = await measureGrowth(growth)
    say(`${growthTable(name, report.growth[name])}\n`)
  }

report.missed = missed.map(({ text }) => text)
mkdirSync(new URL('results/', here), { recursive: true })
const text = `${JSON.stringify(report, null, 2)}\n`
const kind = wanted.length > 0 || flag('short') ? 'part' : 'full'
writeFileSync(new URL(`results/${report.date.replace(/[:.]/g, '-')}-${kind}.json`, here), text)
if (kind === 'full') writeFileSync(new URL('results/latest.json', here), text)
if (flag('json')) console.log(JSON.stringify(report))
else if (missed.length > 0)
  console.log(
    `Missed targets:\n${missed.map(({ text, known }) => `  ${text}${known ? ` (known: ${known})` : ''}`).join('\n')}`,
  )
else console.log('Every target of these scenarios is met.')
// A miss that targets.json explains is reported; one that nobody knows of, or a known one grown worse, fails.
if (flag('check') && missed.some(({ known }) => !known)) process.exitCode = 1
// A peer's server may hold the event loop open; everything of ours is closed by now.
process.exit()

async function runScenario(name, scenario) {
  const made = await scenario.setup()
  if (made.skip) {
    report.skipped[name] = made.skip
    say(`${name}: skipped, ${made.skip}\n`)
    return
  }
  const { sides, teardown, reference } = made
  const options = { unit: scenario.unit, ...scenario.run, ...(flag('short') ? scenario.short : {}) }
  try {
    const measure = () => interleave(sides, options)
    const file = new URL(`results/${name}.cpuprofile`, here)
    const { value: results, profile } = flag('profile')
      ? await profiled(measure, file)
      : { value: await measure() }
    report.scenarios[name] = { about: scenario.about, unit: scenario.unit, reference, results }
    say(tableOf(`${name}: ${scenario.about}`, scenario.unit, results, reference))
    judgeTargets(name, results)
    if (profile)
      say(
        `  profile: ${file.pathname}\n${hottest(profile)
          .map((line) => `    ${line}`)
          .join('\n')}`,
      )
    say('')
  } finally {
    await teardown?.()
  }
}

function judgeTargets(name, results) {
  const judged = []
  for (const target of targets[name] ?? []) {
    if (!(target.side in results) || (target.against && !(target.against in results))) continue
    const value = figureOf(target, results)
    const bound = target.max === undefined ? target.min / margin : target.max * margin
    const isMet = target.max === undefined ? value >= bound : value <= bound
    const asked = target.max === undefined ? `at least ${target.min}` : `at most ${target.max}`
    const { what } = target
    const known = isNoWorse(target, value) ? target.known : undefined
    judged.push({ what, value, asked, isMet, ...(known && !isMet ? { known } : {}) })
    if (!isMet) missed.push({ text: `${name}: ${what} is ${value.toFixed(2)}, target ${asked}`, known })
    say(`  ${isMet ? 'met' : 'MISSED'}: ${what} ${value.toFixed(2)} (${asked})`)
  }
  report.scenarios[name].targets = judged
}

/** A known miss says where it stood (`at`); one that got half as bad again is a new one. */
function isNoWorse({ max, at }, value) {
  return max === undefined ? value >= at / (1.5 * margin) : value <= at * 1.5 * margin
}

/** `ratio`: side over against; `speedup`: against over side; `added`: their difference; `value`: the side alone. */
function figureOf({ kind, side, against }, results) {
  const own = results[side].median
  if (kind === 'ratio') return own / results[against].median
  if (kind === 'speedup') return results[against].median / own
  if (kind === 'added') return own - results[against].median
  return own
}

function namesIn(folder) {
  return readdirSync(new URL(folder, here)).map((file) => file.replace(/\.mjs$/, ''))
}

function say(line) {
  if (!flag('json')) console.log(line)
}

function fail(message) {
  console.error(message)
  process.exit(2)
}
