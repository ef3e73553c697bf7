import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeCrib } from '../make-crib.mjs'
import { built } from '../the-build.mjs'

const sdkServer = new URL('../servers/sdk-v2-http.mjs', import.meta.url).pathname
const cli = built('cli.js')

export const scenario = {
  about: 'a whole process, crib of 100 tools, warm',
  unit: 'ms',
  run: { rounds: 15, warmUp: 3 },
  short: { rounds: 7, warmUp: 2 },
  async setup() {
    const root = mkdtempSync(join(tmpdir(), 'toolcrib-bench-'))
    makeCrib(root, 100)
    const env = { PATH: process.env.PATH, HOME: root }
    const run = (...args) => ({
      work: async () => execFileSync(process.execPath, args, { cwd: root, env, stdio: 'ignore' }),
    })
    /** Until the first line on stdout, which is the ready line; then the process is ended. */
    const untilReady = (...args) => ({
      measure: () =>
        new Promise((resolve, reject) => {
          const started = performance.now()
          const child = spawn(process.execPath, args, { cwd: root, env, stdio: ['pipe', 'pipe', 'ignore'] })
          let ms
          child.stdout.once('data', () => {
            ms = performance.now() - started
            child.kill('SIGTERM')
          })
          child.on('exit', () => (ms === undefined ? reject(new Error('never ready')) : resolve(ms)))
        }),
    })
    return {
      reference: 'node -e 0',
      sides: {
        'node -e 0': run('-e', '0'),
        'toolcrib --version': run(cli, '--version'),
        'toolcrib list': run(cli, 'list'),
        'toolcrib serve to ready': untilReady(cli, 'serve', '--json', '--port', '0'),
        'SDK v2 server to ready': untilReady(sdkServer),
      },
      teardown: () => rmSync(root, { recursive: true }),
    }
  },
}
