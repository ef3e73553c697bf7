import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makeCodeCrib } from '../make-code-crib.mjs'

const files = 1_000
const worker = fileURLToPath(new URL('../check-worker.mjs', import.meta.url))

/** What reading the code of tools for what it touches adds to `check`, without a cache and with one. */
export const scenario = {
  about: `check of ${files.toLocaleString('en')} files, user CPU time`,
  unit: 'ms',
  run: { rounds: 7, warmUp: 1 },
  async setup() {
    const [cold, warm] = [0, 1].map(() => {
      const root = mkdtempSync(join(tmpdir(), 'toolcrib-bench-'))
      makeCodeCrib(root, files)
      return root
    })
    const check = (root, heat, reads) =>
      Number(execFileSync(process.execPath, [worker, root, heat, reads], { encoding: 'utf8' }))
    check(warm, 'warm', 'with')
    return {
      reference: 'cold, code not read',
      sides: {
        'cold, code not read': { measure: async () => check(cold, 'cold', 'without') },
        'cold, code read': { measure: async () => check(cold, 'cold', 'with') },
        'warm, code not read': { measure: async () => check(warm, 'warm', 'without') },
        'warm, code read': { measure: async () => check(warm, 'warm', 'with') },
      },
      teardown: async () => {
        for (const root of [cold, warm]) rmSync(root, { recursive: true, force: true })
      },
    }
  },
}
