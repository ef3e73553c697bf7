import { execFileSync } from 'node:child_process'
import { createHash, createPublicKey, verify } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pythonTool } from '../make-crib.mjs'
import { built, openCrib } from '../the-build.mjs'

const count = 1_000
const cli = built('cli.js')

/** Every file read and judged, against the bare hash and signature check of the same bytes. */
export const scenario = {
  about: `verifying ${count.toLocaleString('en')} signed files`,
  unit: 'ms',
  run: { rounds: 7, warmUp: 1 },
  async setup() {
    const root = mkdtempSync(join(tmpdir(), 'toolcrib-bench-'))
    const home = mkdtempSync(join(tmpdir(), 'toolcrib-bench-'))
    const files = Array.from({ length: count }, (_, n) => {
      const [path, text] = pythonTool(n)
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), text)
      return join(root, path)
    })
    const run = (...args) =>
      execFileSync(process.execPath, [cli, ...args, '-q', '-C', root], {
        env: { ...process.env, HOME: home },
        cwd: root,
        encoding: 'utf8',
        maxBuffer: 1e8,
      })
    run('keys', 'new', '--owner', 'bench')
    run('sign', '.ai/tools')
    const key = createPublicKey(run('keys', 'export'))
    // A store of its own for every round: nothing is remembered.
    const judge = async () => {
      const crib = await openCrib({ root, env: { ...process.env, HOME: home } })
      const started = performance.now()
      const trusted = files.filter((file) => crib.trust.judgeFile(file).status === 'trusted').length
      const ms = performance.now() - started
      await crib.close()
      if (trusted !== count) throw new Error(`only ${trusted} trusted`)
      return ms
    }
    const bare = async () => {
      const started = performance.now()
      for (const file of files) {
        const text = readFileSync(file, 'utf8')
        const end = text.indexOf('\n')
        const [hash, signature] = text.slice(0, end).split(':').slice(-3)
        const own = createHash('sha256')
          .update(text.slice(end + 1))
          .digest('hex')
        if (own !== hash || !verify(null, Buffer.from(hash), key, Buffer.from(signature, 'base64url')))
          throw new Error(`${file} does not verify`)
      }
      return performance.now() - started
    }
    return {
      reference: 'bare node:crypto',
      sides: { 'bare node:crypto': { measure: bare }, ours: { measure: judge } },
      teardown: async () => {
        for (const folder of [root, home]) rmSync(folder, { recursive: true, force: true })
      },
    }
  },
}
