// `npm run shape`: the figures of the code's shape, each beside its goal. Exits 1 when one is missed.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseSync } from 'oxc-parser'

const root = fileURLToPath(new URL('..', import.meta.url))
const maxParameters = 4

function sourceFiles() {
  return execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'src'], {
    cwd: root,
    encoding: 'utf8',
  })
    .trim()
    .split('\n')
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.includes('/fixtures/'))
    .map((file) => ({ file, text: readFileSync(`${root}${file}`, 'utf8') }))
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

const files = sourceFiles()
const longest = files
  .map(({ file, text }) => ({ file, lines: linesOf(text) }))
  .sort((a, b) => b.lines - a.lines)
const many = files.flatMap(manyParameters)
const trace = callTrace()
const outsideFormats = files.filter(({ file }) => !file.startsWith('src/formats/'))
const outsideFiles = files.filter(({ file }) => !file.startsWith('src/files/'))

/** name, value, goal. */
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
]

const width = Math.max(...rows.map(([name]) => name.length))
for (const [name, value, goal] of rows)
  console.log(
    `${name.padEnd(width)}  ${String(value).padStart(6)}  goal ${String(goal).padStart(6)}  ${value <= goal ? 'met' : 'MISSED'}`,
  )
if (process.argv.includes('-v')) {
  for (const { file, lines } of longest.filter((each) => each.lines > 400)) console.log(`${lines} ${file}`)
  for (const place of many) console.log(`many parameters: ${place}`)
  for (const each of trace.functions.sort((a, b) => b.count - a.count))
    console.log(`${each.count} ${each.file} ${each.name}`)
}
process.exitCode = rows.every(([, value, goal]) => value <= goal) ? 0 : 1
