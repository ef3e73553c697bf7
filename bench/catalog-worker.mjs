// One load of a crib in a fresh process; prints the milliseconds it took.
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const [mode, root, least = '1000'] = process.argv.slice(2)

if (mode === 'bare') console.log(await bare())
else {
  const { openCrib } = await import('./the-build.mjs')
  if (mode === 'cold') rmSync(join(root, '.toolcrib'), { recursive: true, force: true })
  const started = performance.now()
  const crib = await openCrib({ root })
  console.log(performance.now() - started)
  if (crib.list().length < Number(least)) throw new Error(`only ${crib.list().length} tools`)
  await crib.close()
}

/** The floor: every file read and given to the parser of its language, nothing else. */
async function bare() {
  const { parser } = await import('@lezer/python')
  const { parseSync } = await import('oxc-parser')
  const yaml = await import('js-yaml')
  const started = performance.now()
  let parsed = 0
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.parentPath.includes('.toolcrib')) continue
    const text = readFileSync(join(entry.parentPath, entry.name), 'utf8')
    if (entry.name.endsWith('.py')) parser.parse(text)
    else if (entry.name.endsWith('.yaml')) yaml.load(text)
    else if (entry.name.endsWith('.ts')) {
      parseSync(entry.name, text).program
    } else if (entry.name.endsWith('.json')) JSON.parse(text)
    else if (entry.name.endsWith('.md')) yaml.load(text.split('---')[1])
    parsed++
  }
  if (parsed < Number(least)) throw new Error(`only ${parsed} files`)
  return performance.now() - started
}
