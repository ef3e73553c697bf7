// `npm run bench [-- <name>…] [--json] [--check] [--short] [--profile]`: runs the scenarios and prints one table
// each, every one measured in a process of its own (measure.mjs); the result with the machine and versions is kept
// under bench/results/. `--check` fails when a target of
// targets.json is missed, `--short` takes fewer rounds of the scenarios that have a short form and judges with a
// margin, `--profile` writes a CPU profile a scenario and names its hottest functions. `--against <folder>` compares this
// build with another one instead (against.mjs). `--help` says all that.
import { fork } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { buildFolder, compareBuilds, compared, comparisonTable } from './against.mjs'
import { growthTable } from './growth.mjs'
import { tableOf } from './harness.mjs'
import { machine } from './machine.mjs'

const here = new URL('.', import.meta.url)
const args = process.argv.slice(2)
const flag = (name) => args.includes(`--${name}`)
const known = ['--json', '--check', '--short', '--profile', '--against', '--help']
if (flag('help')) {
  console.log(`npm run bench [-- <name>…] [options]

  --json              print the result as JSON
  --check             fail when a target is missed
  --short             fewer rounds, and a wide margin
  --profile           write a CPU profile of each scenario
  --against <folder>  measure this build and the one in <folder> in turn, and print the ratios;
                      without names: ${compared.join(', ')}`)
  process.exit()
}
const other = flag('against') ? args.splice(args.indexOf('--against'), 2)[1] : undefined
if (process.argv.includes('--against') && (other === undefined || other.startsWith('--')))
  fail('--against wants the folder of another build.')
const wanted = args.filter((arg) => !arg.startsWith('--'))
const misspelt = args.filter((arg) => arg.startsWith('--') && !known.includes(arg))
if (misspelt.length > 0) fail(`There is no option ${misspelt.join(', ')}. Known: ${known.join(', ')}.`)

const scenarios = namesIn('scenarios/')
const growths = namesIn('growth/')
const unknown = wanted.filter((name) => !scenarios.includes(name) && !growths.includes(name))
if (unknown.length > 0)
  fail(`There is no scenario ${unknown.join(', ')}. Known: ${[...scenarios, ...growths].join(', ')}.`)

if (other !== undefined) {
  await compareWith(other)
  process.exit()
}

/**
 * A busy or small machine may be this much worse in a short run before it counts as a miss. Times carry the speed of the
 * machine, which differed by three between two hours of one day; ratios do not.
 */
const marginOf = ({ kind }) => (!flag('short') ? 1 : kind === 'ratio' || kind === 'speedup' ? 1.5 : 5)
const targets = JSON.parse(readFileSync(new URL('targets.json', here), 'utf8'))
const feltBy = JSON.parse(readFileSync(new URL('felt-by.json', here), 'utf8'))
const aimless = scenarios.filter((name) => !targets[name]?.length || !feltBy[name])
if (aimless.length > 0)
  fail(`${aimless.join(', ')}: say in targets.json what is aimed at, and in felt-by.json who feels it.`)
const report = { ...machine(), short: flag('short'), scenarios: {}, growth: {}, skipped: {} }
const missed = []

for (const name of scenarios) if (isWanted(name)) tell(name, await measured('scenarios', name))
if (!flag('short'))
  for (const name of growths) {
    if (!isWanted(name)) continue
    report.growth[name] = await measured('growth', name)
    say(`${growthTable(name, report.growth[name])}\n`)
  }

report.missed = missed.map(({ text }) => text)
mkdirSync(new URL('results/', here), { recursive: true })
const text = `${JSON.stringify(report, null, 2)}\n`
const kind = wanted.length > 0 || flag('short') ? 'part' : 'full'
writeFileSync(new URL(`results/${report.date.replace(/[:.]/g, '-')}-${kind}.json`, here), text)
if (flag('json')) console.log(JSON.stringify(report))
else if (missed.length > 0)
  console.log(
    `Missed targets:\n${missed.map(({ text, known }) => `  ${text}${known ? ` (known: ${known})` : ''}`).join('\n')}`,
  )
else if (flag('short'))
  console.log('No target of these scenarios is missed by more than the margin of a short run.')
else console.log('Every target of these scenarios is met.')
// A miss that targets.json explains is reported; one that nobody knows of, or a known one grown worse, fails.
if (flag('check') && missed.some(({ known }) => !known)) process.exitCode = 1

async function compareWith(given) {
  let folder
  try {
    folder = buildFolder(given)
  } catch (error) {
    fail(error.message)
  }
  const results = {}
  for (const name of wanted.length > 0 ? wanted : compared) {
    const result = await compareBuilds(name, folder, { isShort: flag('short') }).catch((error) => {
      fail(error.message)
    })
    results[name] = result
    say(result.skip ? `${name}: skipped, ${result.skip}\n` : `${comparisonTable(name, result)}\n`)
  }
  const report = { ...machine(), results }
  mkdirSync(new URL('results/', here), { recursive: true })
  const at = new URL(`results/${report.date.replace(/[:.]/g, '-')}-against.json`, here)
  writeFileSync(at, `${JSON.stringify(report, null, 2)}\n`)
  if (flag('json')) console.log(JSON.stringify(report))
}

function isWanted(name) {
  return wanted.length === 0 || wanted.includes(name)
}

/** What a process of its own measured; ends this one where that failed. */
function measured(kind, name) {
  const child = fork(fileURLToPath(new URL('measure.mjs', here)), [kind, name, ...args])
  return new Promise((resolve) => {
    let result
    child.once('message', (message) => {
      result = message
    })
    child.once('exit', (code) =>
      result ? resolve(result) : fail(`${name} ended with exit code ${code} and told no result.`),
    )
  })
}

/** Prints, keeps and judges what came of a scenario; one without a short form comes to nothing in a short run. */
function tell(name, { skip, profile, ...measured }) {
  if (skip) {
    report.skipped[name] = skip
    say(`${name}: skipped, ${skip}\n`)
  }
  if (!measured.results) return
  const { about, unit, reference, results } = measured
  report.scenarios[name] = measured
  say(tableOf(`${name}: ${about}`, unit, results, reference))
  judgeTargets(name, results)
  if (profile) say(`  profile: ${profile.file}\n${profile.hottest.map((line) => `    ${line}`).join('\n')}`)
  say('')
}

function judgeTargets(name, results) {
  const judged = []
  for (const target of targets[name] ?? []) {
    if (!(target.side in results) || (target.against && !(target.against in results))) continue
    const value = figureOf(target, results)
    const bound = target.max === undefined ? target.min / marginOf(target) : target.max * marginOf(target)
    const isMet = target.max === undefined ? value >= bound : value <= bound
    const asked = target.max === undefined ? `at least ${target.min}` : `at most ${target.max}`
    const margin = marginOf(target) === 1 ? '' : `, a short run fails at ${Number(bound.toFixed(2))}`
    const { what } = target
    const known = isNoWorse(target, value) ? target.known : undefined
    judged.push({ what, value, asked, isMet, ...(known && !isMet ? { known } : {}) })
    if (!isMet) missed.push({ text: `${name}: ${what} is ${value.toFixed(2)}, target ${asked}`, known })
    const isWithin = target.max === undefined ? value >= target.min : value <= target.max
    const verdict = !isMet ? 'MISSED' : isWithin ? 'met' : 'within the margin'
    say(`  ${verdict}: ${what} ${value.toFixed(2)} (${asked}${margin})`)
  }
  report.scenarios[name].targets = judged
}

/** A known miss says where it stood (`at`); one that got half as bad again is a new one. */
function isNoWorse(target, value) {
  const { max, at } = target
  const bound = 1.5 * marginOf(target)
  return max === undefined ? value >= at / bound : value <= at * bound
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
