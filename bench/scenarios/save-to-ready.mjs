// From saving one tool's file to the crib having read it again, with a watcher on, in a crib of 1,000 tools.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeCrib } from '../make-crib.mjs'
import { openCrib } from '../the-build.mjs'

const count = 1_000

export const scenario = {
  about: `one of ${count} tools saved, watched`,
  unit: 'ms',
  run: { rounds: 15, warmUp: 2 },
  async setup() {
    const root = mkdtempSync(join(tmpdir(), 'toolcrib-bench-'))
    const files = makeCrib(root, count)
    const crib = await openCrib({ root, env: { ...process.env, HOME: root } })
    await crib.watch()
    const sides = {}
    for (const kind of ['py', 'json', 'skill']) {
      const { file } = files.find((each) => each.kind === kind)
      const text = readFileSync(file, 'utf8')
      let n = 0
      sides[`a ${kind} tool`] = {
        measure: async () => {
          const changed = new Promise((resolve) => crib.once('tool-changed', resolve))
          n++
          const started = performance.now()
          writeFileSync(
            file,
            text.replace(
              /(count|fetch|send|read|write|list|find|merge|split|sort|check|sign|build|test|deploy|watch) the/g,
              `$1 ${n} the`,
            ),
          )
          await changed
          return performance.now() - started
        },
      }
    }
    return {
      sides,
      teardown: async () => {
        await crib.close()
        rmSync(root, { recursive: true })
      },
    }
  },
}
