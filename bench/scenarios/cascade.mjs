import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openCrib } from '../the-build.mjs'

const calls = 2_000
const levels = 5

/** A tool that inherits through five levels against one that inherits nothing: the levels are worked out once. */
export const scenario = {
  about: `a call of a skill with ${levels} levels of metadata, computed once`,
  unit: 'µs',
  run: { rounds: 9, warmUp: 3 },
  async setup() {
    const root = mkdtempSync(join(tmpdir(), 'toolcrib-bench-'))
    mkdirSync(join(root, 'skills'))
    const write = (name, metadata) =>
      writeFileSync(
        join(root, 'skills', `${name}.skill.js`),
        `export const frontmatter = ${JSON.stringify({ metadata: { params: { type: 'object' }, ...metadata } })}\nexport default (ctx, { a }) => a + 1\n`,
      )
    const merge = { list: 'append', map: 'deep' }
    for (let level = 0; level < levels - 1; level++)
      write(`level-${level}`, {
        $inherit: level === 0 ? false : `level-${level - 1}`,
        $merge: merge,
        list: [level],
        map: { [`at-${level}`]: { level } },
        [`own-${level}`]: 'x',
      })
    write('deep', { $inherit: `level-${levels - 2}`, $merge: merge, list: ['own'], map: { own: 1 } })
    write('flat', { $inherit: false })
    const crib = await openCrib({ root, config: { trust: 'off', skills: { host: 'always' } } })
    const call = async (name, a) => {
      const outcome = await crib.call(name, { a })
      if (!outcome.ok || outcome.value !== a + 1) throw new Error('failed')
    }
    const side = (name) => ({
      operations: calls,
      async work() {
        for (let i = 0; i < calls; i++) await call(name, i)
      },
    })
    return {
      reference: 'one level',
      sides: { 'one level': side('flat'), [`${levels} levels`]: side('deep') },
      async teardown() {
        await crib.close()
        rmSync(root, { recursive: true, force: true })
      },
    }
  },
}
