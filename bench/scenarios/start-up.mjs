import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeCrib } from '../make-crib.mjs'

const cli = new URL('../../dist/cli.js', import.meta.url).pathname

export const scenario = {
  about: 'a whole process, crib of 100 tools, warm',
  unit: 'ms',
  run: { rounds: 15, warmUp: 3 },
  async setup() {
    const root = mkdtempSync(join(tmpdir(), 'toolcrib-bench-'))
    makeCrib(root, 100)
    const env = { PATH: process.env.PATH, HOME: root }
    const run = (...args) => ({
      work: async () => execFileSync(process.execPath, args, { cwd: root, env, stdio: 'ignore' }),
    })
    await new Promise((resolve) => setTimeout(resolve, 100))
    return {
      reference: 'node -e 0',
      sides: {
        'node -e 0': run('-e', '0'),
        'toolcrib --version': run(cli, '--version'),
        'toolcrib list': run(cli, 'list'),
      },
      teardown: () => rmSync(root, { recursive: true }),
    }
  },
}
