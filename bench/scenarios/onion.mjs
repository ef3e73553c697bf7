import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openCrib } from '../the-build.mjs'

const calls = 2_000
const layers = 10

const middleware = `import { ctxTarget } from 'toolcrib/skill'
export const frontmatter = { metadata: { role: 'middleware' } }
export default async function (ctx) { await ctxTarget(ctx).manager.next() }
`

function skill(keys) {
  const metadata = { params: { type: 'object', properties: { a: { type: 'number' } } }, ...keys }
  return `export const frontmatter = ${JSON.stringify({ metadata })}\nexport default (ctx, { a }) => a + 1\n`
}

export const scenario = {
  about: `a call of an in-process skill through ${layers} middlewares`,
  unit: 'µs',
  run: { rounds: 9, warmUp: 3 },
  async setup() {
    const root = mkdtempSync(join(tmpdir(), 'toolcrib-bench-'))
    mkdirSync(join(root, 'skills'))
    const write = (name, text) => writeFileSync(join(root, 'skills', `${name}.skill.js`), text)
    const names = Array.from({ length: layers }, (_, index) => `layer-${index}`)
    for (const name of names) write(name, middleware)
    write('bare', skill({}))
    write('wrapped', skill(Object.fromEntries(names.map((name) => [name, null]))))
    const crib = await openCrib({
      root,
      config: { trust: 'off', skills: { host: 'always' }, audit: { params: 'shape' } },
    })
    const side = (name) => ({
      operations: calls,
      async work() {
        for (let i = 0; i < calls; i++) {
          const outcome = await crib.call(name, { a: i })
          if (!outcome.ok || outcome.value !== i + 1) throw new Error('failed')
        }
      },
    })
    return {
      reference: 'no middleware',
      sides: { 'no middleware': side('bare'), [`${layers} middlewares`]: side('wrapped') },
      async teardown() {
        await crib.close()
        rmSync(root, { recursive: true, force: true })
      },
    }
  },
}
