// `npm run shape`: the figures of the code's shape, each beside its goal. Exits 1 when one is missed.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseSync } from 'oxc-parser'

const root = fileURLToPath(new URL('..', import.meta.url))
const maxParameters = 4

const isTest = ({ file }) => file.endsWith('.test.ts')

function filesOfSrc() {
  return execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'src'], {
    cwd: root,
    encoding: 'utf8',
  })
    .trim()
    .split('\n')
    .filter((file) => file.endsWith('.ts') && !file.includes('/fixtures/') && existsSync(`${root}${file}`))
    .map((file) => ({ file, text: readFileSync(`${root}${file}`, 'utf8') }))
}

/** Lines of unit test beside the source, for each line of it. */
function testedShare(all, folder) {
  const lines = (files) =>
    files.reduce((sum, { file, text }) => sum + (file.startsWith(`src/${folder}/`) ? linesOf(text) : 0), 0)
  const tests = all.filter(isTest)
  const source = all.filter((file) => !isTest(file))
  return Math.floor((lines(tests) / lines(source)) * 100) / 100
}

const linesOf = (text) => text.split('\n').length - 1
const count = (files, pattern) => files.reduce((sum, { text }) => sum + (text.match(pattern)?.length ?? 0), 0)

/** Functions of a file that take more parameters than a reader can keep apart. */
function manyParameters({ file, text }) {
  const found = []
  const visit = (node) => {
    if (typeof node !== 'object' || node === null) return
    if (Array.isArray(node)) return node.forEach(visit)
    const { params } = node
    const items = Array.isArray(params) ? params : params?.items
    if (/Function/.test(node.type ?? '') && items?.length > maxParameters)
      found.push(`${file}:${linesOf(text.slice(0, node.start)) + 1}`)
    for (const key of Object.keys(node)) if (key !== 'type') visit(node[key])
  }
  visit(parseSync(file, text).program)
  return found
}

function callTrace() {
  const loader = './system/tools/rye/core/runtimes/node/bootstrap/typescript.mjs'
  const printed = execFileSync(process.execPath, ['--import', loader, 'scripts/call-trace.mjs'], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  return JSON.parse(printed)
}

const all = filesOfSrc()
const files = all.filter((file) => !isTest(file))
const longest = files
  .map(({ file, text }) => ({ file, lines: linesOf(text) }))
  .sort((a, b) => b.lines - a.lines)
const many = files.flatMap(manyParameters)
const trace = callTrace()
const outsideFormats = files.filter(({ file }) => !file.startsWith('src/formats/'))
const outsideFiles = files.filter(({ file }) => !file.startsWith('src/files/'))

/** name, value, goal, and whether the goal is the least and not the most. */
const rows = [
  ['source lines in src without tests', files.reduce((sum, { text }) => sum + linesOf(text), 0), 61_000],
  [
    'lines in src/kernel',
    files.reduce((sum, { file, text }) => sum + (file.startsWith('src/kernel/') ? linesOf(text) : 0), 0),
    900,
  ],
  [`longest source file (${longest[0].file})`, longest[0].lines, 400],
  [`functions with more than ${maxParameters} parameters`, many.length, 15],
  ['conditional spreads', count(files, /\.\.\.\((?:.*\? \{\}|.*: \{\}\))/g), 120],
  ['as unknown as', count(files, /as unknown as/g), 25],
  ["comparisons of a format's name outside formats", count(outsideFormats, /format ===? '/g), 0],
  ['own path comparisons outside files', count(outsideFiles, /startsWith\([^)]*\bsep\b/g), 0],
  ['function entries of a warm MCP call of a Python tool', trace.entries, 300],
  ['files with one of them', trace.files, 45],
  ...['kernel', 'config', 'guards', 'crib'].map((folder) => [
    `lines of unit test per line of src/${folder}`,
    testedShare(all, folder),
    0.6,
    true,
  ]),
]
const isMet = ([, value, goal, isLeast]) => (isLeast ? value >= goal : value <= goal)

const width = Math.max(...rows.map(([name]) => name.length))
for (const row of rows) {
  const [name, value, goal] = row
  console.log(
    `${name.padEnd(width)}  ${String(value).padStart(6)}  goal ${String(goal).padStart(6)}  ${isMet(row) ? 'met' : 'MISSED'}`,
  )
}
if (process.argv.includes('-v')) {
  for (const { file, lines } of longest.filter((each) => each.lines > 400)) console.log(`${lines} ${file}`)
  for (const place of many) console.log(`many parameters: ${place}`)
  for (const each of trace.functions.sort((a, b) => b.count - a.count))
    console.log(`${each.count} ${each.file} ${each.name}`)
}
process.exitCode = rows.every(isMet) ? 0 : 1
