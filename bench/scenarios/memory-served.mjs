import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { makeCrib } from '../make-crib.mjs'
import { tempFolder } from '../temp-crib.mjs'
import { built } from '../the-build.mjs'

const cli = built('cli.js')
const sdkServer = new URL('../servers/sdk-v2-http.mjs', import.meta.url).pathname

/** Resident memory of a server two seconds after it said it was ready. */
function residentMb(root, ...args) {
  return new Promise((resolve, reject) => {
    const env = { PATH: process.env.PATH, HOME: root }
    const child = spawn(process.execPath, args, { cwd: root, env, stdio: ['pipe', 'pipe', 'ignore'] })
    let megabytes
    child.stdout.once('data', () =>
      setTimeout(() => {
        const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
        megabytes = Number(/VmRSS:\s+(\d+)/.exec(status)[1]) / 1024
        child.kill('SIGTERM')
      }, 2000),
    )
    child.on('exit', () => (megabytes === undefined ? reject(new Error('never ready')) : resolve(megabytes)))
  })
}

export const scenario = {
  about: 'resident memory of an idle server',
  unit: 'MB',
  run: { rounds: 5, warmUp: 0 },
  async setup() {
    if (process.platform !== 'linux') return { skip: 'it reads /proc' }
    const cribs = [10, 1_000].map((size) => {
      const { root, remove } = tempFolder()
      makeCrib(root, size)
      return { size, root, remove }
    })
    const ours = Object.fromEntries(
      cribs.map(({ size, root }) => [
        `ours, ${size.toLocaleString('en')} tools`,
        { measure: () => residentMb(root, cli, 'serve', '--json', '--port', '0') },
      ]),
    )
    return {
      reference: 'SDK v2 server, 1 tool',
      sides: {
        'SDK v2 server, 1 tool': { measure: () => residentMb(cribs[0].root, sdkServer) },
        ...ours,
      },
      teardown: () => cribs.forEach(({ remove }) => remove()),
    }
  },
}
