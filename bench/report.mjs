// `npm run bench:report`: writes the latest full result into docs/performance.md, between its marks, and the curves
// of growth as an SVG beside it.
import { readFileSync, writeFileSync } from 'node:fs'
import { growthSvg } from './growth-svg.mjs'
import { format } from './harness.mjs'

const at = (path) => new URL(`../${path}`, import.meta.url)
const report = JSON.parse(readFileSync(at('bench/results/latest.json'), 'utf8'))
const explained = JSON.parse(readFileSync(at('bench/targets.json'), 'utf8'))
const feltBy = JSON.parse(readFileSync(at('bench/felt-by.json'), 'utf8'))
const page = readFileSync(at('docs/performance.md'), 'utf8')

writeFileSync(at('docs/performance-growth.svg'), growthSvg(report.growth))
writeFileSync(
  at('docs/performance.md'),
  [
    ['machine', machineText()],
    ['results', Object.entries(report.scenarios).map(scenarioText).join('\n')],
    ['targets', targetsText()],
    ['growth', growthText()],
  ].reduce((text, [name, part]) => between(text, name, part), page),
)

function between(text, name, part) {
  const mark = new RegExp(`(<!-- bench:${name} -->\n)[^]*?(<!-- /bench:${name} -->)`)
  if (!mark.test(text)) throw new Error(`docs/performance.md has no marks for ${name}`)
  return text.replace(mark, (_, open, close) => `${open}${part}\n${close}`)
}

function machineText() {
  const { date, cpu, cores, memoryGb, node, load, versions } = report
  const compared = Object.entries(versions).map(([name, version]) => `${name} ${version}`)
  return `Measured on ${date.slice(0, 10)} on ${cores} cores (${cpu}), ${memoryGb} GB, Node ${node.slice(1)}, load ${load} at the start. Compared: ${compared.join(', ')}.`
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
