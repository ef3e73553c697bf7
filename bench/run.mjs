// `npm run bench [-- <name>…] [--json] [--check]`: runs the scenarios and prints one table; results with the machine
// and versions are kept under bench/results/. `--check` fails when a target of targets.json is missed.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { interleave, tableOf } from './harness.mjs'

const here = new URL('.', import.meta.url)
const args = process.argv.slice(2)
const wanted = args.filter((arg) => !arg.startsWith('--'))
const asJson = args.includes('--json')
const targets = JSON.parse(readFileSync(new URL('targets.json', here), 'utf8'))

const names = readdirSync(new URL('scenarios/', here)).map((file) => file.replace(/\.mjs$/, ''))
const unknown = wanted.filter((name) => !names.includes(name))
if (unknown.length > 0) {
  console.error(`There is no scenario ${unknown.join(', ')}. Known: ${names.join(', ')}.`)
  process.exit(2)
}

const report = {
  date: new Date().toISOString(),
  node: process.version,
  cpu: cpus()[0]?.model,
  cores: cpus().length,
  memoryGb: Math.round(totalmem() / 2 ** 30),
  scenarios: {},
}
const missed = []
for (const name of names) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  const { scenario } = await import(new URL(`scenarios/${name}.mjs`, here).href)
  const { sides, teardown, reference } = await scenario.setup()
  const results = await interleave(sides, { unit: scenario.unit, ...scenario.run })
  await teardown?.()
  report.scenarios[name] = { unit: scenario.unit, reference, results }
  if (!asJson) console.log(`${tableOf(`${name}: ${scenario.about}`, scenario.unit, results, reference)}`)
  for (const target of targets[name] ?? []) {
    const value = judge(target, results)
    const ok = target.max === undefined ? value >= target.min : value <= target.max
    if (!ok)
      missed.push(
        `${name}: ${target.what} is ${value.toFixed(2)}, target ${target.max === undefined ? `at least ${target.min}` : `at most ${target.max}`}`,
      )
    if (!asJson)
      console.log(
        `  ${ok ? 'met' : 'MISSED'}: ${target.what} ${value.toFixed(2)} (${target.max === undefined ? `≥ ${target.min}` : `≤ ${target.max}`})`,
      )
  }
  if (!asJson) console.log('')
}

/** `ratio`: side over against; `added`: their difference; `value`: the side alone. */
function judge({ kind, side, against }, results) {
  const own = results[side].median
  if (kind === 'ratio') return own / results[against].median
  if (kind === 'added') return own - results[against].median
  return own
}

report.missed = missed
mkdirSync(new URL('results/', here), { recursive: true })
writeFileSync(new URL('results/latest.json', here), `${JSON.stringify(report, null, 2)}\n`)
if (asJson) console.log(JSON.stringify(report))
else if (missed.length > 0) console.log(`Missed targets:\n${missed.map((line) => `  ${line}`).join('\n')}`)
if (args.includes('--check') && missed.length > 0) process.exitCode = 1
