// `npm run bench:report`: writes the newest result of every scenario, from a full run or one by one, into
// docs/performance.md, between its marks, and the curves of growth, where all were measured, as an SVG beside it. What
// lacks a result stays as it is, and the report says so.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { growthSvg } from './growth-svg.mjs'
import { format } from './harness.mjs'
import { firstLineText, othersText, summaryText } from './page.mjs'

const at = (path) => new URL(`../${path}`, import.meta.url)
/** Names begin with the time of the run. */
const runs = readdirSync(at('bench/results/'))
  .filter((name) => /-(part|full)\.json$/.test(name))
  .sort()
  .map((name) => JSON.parse(readFileSync(at(`bench/results/${name}`), 'utf8')))
  .filter(({ short }) => !short)
const together = (part) => sorted(Object.assign({}, ...runs.map((run) => run[part])))
const sorted = (named) =>
  Object.fromEntries(Object.entries(named).sort(([one], [other]) => (one < other ? -1 : 1)))
const report = { ...runs.at(-1), scenarios: together('scenarios'), growth: together('growth') }
/** Those that the page shows something of. */
const used = runs.filter((run) =>
  Object.entries(run.scenarios).some(([name, one]) => report.scenarios[name] === one),
)
const curves = readdirSync(at('bench/growth/')).length
const explained = JSON.parse(readFileSync(at('bench/targets.json'), 'utf8'))
const feltBy = JSON.parse(readFileSync(at('bench/felt-by.json'), 'utf8'))
const page = readFileSync(at('docs/performance.md'), 'utf8')

const hasGrowth = Object.keys(report.growth).length === curves
if (hasGrowth) writeFileSync(at('docs/performance-growth.svg'), growthSvg(report.growth))
writeFileSync(
  at('docs/performance.md'),
  [
    ...whole('summary', summaryText),
    ['machine', machineText()],
    ...whole('others', othersText),
    ...whole('first-line', firstLineText),
    ['results', Object.entries(report.scenarios).map(scenarioText).join('\n')],
    ['targets', targetsText()],
    ...(hasGrowth ? [['growth', growthText()]] : []),
  ].reduce((text, [name, part]) => between(text, name, part), page),
)

/** A part that needs several results; nothing where one is missing. */
function whole(name, textOf) {
  try {
    return [[name, textOf(report)]]
  } catch (error) {
    console.error(`The part "${name}" stays as it is: ${error.message}.`)
    return []
  }
}

function between(text, name, part) {
  const mark = new RegExp(`(<!-- bench:${name} -->\n)[^]*?(<!-- /bench:${name} -->)`)
  if (!mark.test(text)) throw new Error(`docs/performance.md has no marks for ${name}`)
  return text.replace(mark, (_, open, close) => `${open}${part}\n${close}`)
}

function machineText() {
  const { date, cpu, cores, memoryGb, node, versions } = report
  const loads = used.map(({ load }) => Number(load)).sort((one, other) => one - other)
  const load =
    loads.length === 1
      ? `load ${loads[0]} at the start`
      : `in ${loads.length} parts, load ${loads[0]} to ${loads.at(-1)} at their starts`
  const compared = Object.entries(versions).map(([name, version]) => `${name} ${version}`)
  return `Measured on ${date.slice(0, 10)} on ${cores} cores (${cpu}), ${memoryGb} GB, Node ${node.slice(1)}, ${load}. Compared: ${compared.join(', ')}.`
}

function scenarioText([name, { about, unit, reference, results }]) {
  const base = results[reference]?.median
  const rows = Object.entries(results).map(
    ([side, { median, low, high }]) =>
      `| ${side} | ${format(median)} ${unit} | ${format(low)}–${format(high)} | ${base ? `${format(median / base)}×` : ''} |`,
  )
  const against = reference ? `against ${reference}` : ''
  return `### ${name}: ${about}\n\nFelt by ${feltBy[name]}.\n\n| side | median | middle half | ${against} |\n|---|---|---|---|\n${rows.join('\n')}\n`
}

function targetsText() {
  const rows = Object.entries(report.scenarios).flatMap(([name, { targets = [] }]) =>
    targets.map(
      ({ what, value, asked, isMet }) =>
        `| ${name} | ${what} | ${asked} | ${format(value)} | ${isMet ? 'met' : `**missed**${reasonOf(name, what)}`} |`,
    ),
  )
  return `| scenario | what | target | measured | |\n|---|---|---|---|---|\n${rows.join('\n')}`
}

/** Why a target is missed, as it is known now: often it was found out after the run. */
function reasonOf(name, what) {
  const reason = explained[name]?.find((target) => target.what === what)?.known
  return reason ? `: ${reason}` : ''
}

function growthText() {
  const rows = Object.entries(report.growth).map(([name, { about, unit, what, points, exponent }]) => {
    const values = points.map(
      ({ size, value }) => `${size.toLocaleString('en')} ${what}: ${format(value)} ${unit}`,
    )
    return `| ${name} | ${about} | ${values.join(', ')} | ${exponent} |`
  })
  return `| curve | what | measured | exponent |\n|---|---|---|---|\n${rows.join('\n')}`
}
