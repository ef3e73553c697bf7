// A crib whose tools do things: the parameters of the usual mixed crib, and in every second script the body of a small
// tool of the corpus that reading of code is measured by.
import { readFileSync, writeFileSync } from 'node:fs'
import { makeCrib } from './make-crib.mjs'

const fixtures = new URL('../test/inference/fixtures/', import.meta.url)

/** The code of the harmless tools of one language. */
export function harmlessCode(ending) {
  return readFileSync(new URL(`harmless.${ending}.txt`, fixtures), 'utf8')
    .split(/^=== .*\n/m)
    .slice(1)
    .map((text) => text.replace(/^#!.*\n/, ''))
}

export function makeCodeCrib(root, count) {
  const bodies = { py: harmlessCode('py'), ts: harmlessCode('js'), sh: harmlessCode('sh') }
  const made = { py: 0, ts: 0, sh: 0 }
  for (const { kind, file } of makeCrib(root, count)) {
    const own = bodies[kind]
    if (!own || made[kind]++ % 2 === 0) continue
    const head = readFileSync(file, 'utf8').split(/^(?:def helper|interface Params|echo )/m)[0]
    writeFileSync(file, `${head}\n${own[made[kind] % own.length]}\n`)
  }
}
