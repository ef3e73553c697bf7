import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openCrib } from '../the-build.mjs'

const messages = 2_000
const echo = 'process.on("message", (m) => process.send(m))'

/** What a message to a worker and back costs, inside and outside. */
export const scenario = {
  about: 'one message to a Node worker and back',
  unit: 'µs',
  run: { rounds: 9, warmUp: 1 },
  async setup() {
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'toolcrib-bench-')))
    const crib = await openCrib({ root })
    const spec = { file: process.execPath, args: ['-e', echo], cwd: root, env: {} }
    const profile = {
      network: { mode: 'none' },
      read: [root],
      write: [],
      hidden: [join(root, '.toolcrib')],
      readOnly: [],
      subprocess: false,
      calls: [],
      memoryMb: 512,
      cpuPercent: null,
      processes: 64,
      outputBytes: 1_000_000,
    }
    const side = async (given) => {
      const child = await crib.supervisor.start(given, { ipc: true })
      const send = (value) =>
        new Promise((resolve) => {
          child.process.once('message', resolve)
          child.process.send(value)
        })
      return {
        operations: messages,
        work: async () => {
          for (let index = 0; index < messages; index++) await send(index)
        },
      }
    }
    return {
      reference: 'no fence',
      sides: { 'no fence': await side(spec), fenced: await side(crib.fence.wrap(spec, profile)) },
      teardown: async () => {
        await crib.close()
        rmSync(root, { recursive: true, force: true })
      },
    }
  },
}
