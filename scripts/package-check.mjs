// Packs the package, installs it in an empty folder as a user would, and uses it from there.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const folder = mkdtempSync(join(tmpdir(), 'toolcrib-package-'))

function run(command, args, cwd = folder) {
  return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim()
}

function expect(what, isTrue) {
  if (!isTrue) throw new Error(`package check: ${what}`)
  console.log(`ok ${what}`)
}

try {
  run('npx', ['publint', '--strict'], root)
  run('npm', ['pack', '--silent', '--pack-destination', folder], root)
  const tarball = readdirSync(folder).find((file) => file.endsWith('.tgz'))
  run('npm', ['init', '-y'])
  run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', `./${tarball}`])
  const { version } = JSON.parse(run('node', ['-p', 'JSON.stringify(require("toolcrib/package.json"))']))
  expect('the program tells its version', run('npx', ['toolcrib', '--version']) === version)
  expect(
    'a fresh crib lists the shipped tools',
    JSON.parse(run('npx', ['toolcrib', 'list', '--json'])).tools.length > 0,
  )
  writeFileSync(join(folder, 'notes.txt'), 'hello\n')
  const read = JSON.parse(
    run('npx', ['toolcrib', 'run', 'rye/file-system/read', '--path', 'notes.txt', '--json']),
  )
  expect('a shipped tool runs', read.ok && read.value.data.text === 'hello')
  writeFileSync(
    join(folder, 'use.mjs'),
    `import { openCrib } from 'toolcrib'
const crib = await openCrib({ root: '.' })
const outcome = await crib.call('rye/file-system/read', { path: 'notes.txt' })
await crib.close()
console.log(outcome.ok)`,
  )
  expect('the library works', run('node', ['use.mjs']) === 'true')
} finally {
  rmSync(folder, { recursive: true, force: true })
}
