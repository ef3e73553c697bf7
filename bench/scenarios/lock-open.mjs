import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makeCrib } from '../make-crib.mjs'
import { built } from '../the-build.mjs'

const tools = 2_000
const cli = built('cli.js')
const worker = fileURLToPath(new URL('../catalog-worker.mjs', import.meta.url))

/** A crib opened again with its cache, with and without a lock file to hold it to. */
export const scenario = {
  about: `opening ${tools.toLocaleString('en')} tools with a lock file, warm`,
  unit: 'ms',
  run: { rounds: 7, warmUp: 2 },
  async setup() {
    const [free, locked] = [0, 1].map(() => {
      const root = mkdtempSync(join(tmpdir(), 'toolcrib-bench-'))
      makeCrib(root, tools)
      return root
    })
    execFileSync(process.execPath, [cli, 'lock', '-q', '-C', locked], { stdio: 'ignore' })
    const open = (root) => async () =>
      Number(execFileSync(process.execPath, [worker, 'warm', root], { encoding: 'utf8' }))
    return {
      reference: 'no lock file',
      sides: { 'no lock file': { measure: open(free) }, locked: { measure: open(locked) } },
      teardown: async () => {
        for (const root of [free, locked]) rmSync(root, { recursive: true, force: true })
      },
    }
  },
}
