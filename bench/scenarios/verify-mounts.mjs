import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Duplex } from 'node:stream'
import { openCrib } from '../../dist/index.js'
import { tempFolder } from '../temp-crib.mjs'

const starts = 20
/** What holds bubblewrap back until its mounts were looked at. */
const gate = ['--info-fd', '7', '--block-fd', '8'].map((arg) => `${arg}\0`).join('')

/** A pipe on which nobody says anything: all else that is done after a start is done. */
const nobody = () =>
  new Duplex({
    read() {
      this.push(null)
    },
    write(_chunk, _encoding, done) {
      done()
    },
  })

/** What looking at the mounts costs a start, by bubblewrap with and without it. */
export const scenario = {
  about: 'one start of /bin/true behind bubblewrap',
  unit: 'ms',
  run: { rounds: 15, warmUp: 2 },
  async setup() {
    const { root, remove } = tempFolder()
    const crib = await openCrib({ root, config: { sandbox: { engine: 'bubblewrap' } } })
    const places = ['.ai/tools', 'skills', 'crumbs', '.git/hooks'].map((place) => join(root, place))
    for (const place of places) mkdirSync(place, { recursive: true })
    const spec = { file: '/bin/true', args: [], cwd: root, env: { PATH: '/usr/bin:/bin' } }
    const profile = {
      network: { mode: 'none' },
      read: [root],
      write: [],
      hidden: [join(root, '.toolcrib')],
      readOnly: places,
      subprocess: true,
      calls: [],
      memoryMb: 512,
      cpuPercent: null,
      processes: 64,
      outputBytes: 1_000_000,
    }
    const wrapped = () => crib.fence.wrap(spec, profile)
    /** The same start with nobody who looks, and nothing that waits for that. */
    const unseen = () => {
      const fenced = wrapped()
      const handovers = fenced.spec.handovers.map(({ fd, bytes }) => ({
        fd,
        bytes: Buffer.from(bytes.toString('latin1').replace(gate, ''), 'latin1'),
      }))
      return {
        ...fenced,
        started: (pid) => fenced.started?.(pid, nobody),
        spec: { ...fenced.spec, handovers, pipes: [] },
      }
    }
    const first = wrapped()
    const isLooked = first.spec.handovers.some(({ bytes }) => bytes.toString('latin1').includes(gate))
    first.release?.()
    if (!isLooked) {
      await crib.close()
      remove()
      return { skip: 'this machine has no bubblewrap that can be held back' }
    }
    const side = (make) => ({
      operations: starts,
      async work() {
        for (let index = 0; index < starts; index++) {
          const child = await crib.supervisor.start(make())
          child.stdin.end()
          await child.exited
        }
      },
    })
    return {
      reference: 'not looked at',
      sides: { 'not looked at': side(unseen), 'looked at': side(wrapped) },
      async teardown() {
        await crib.close()
        remove()
      },
    }
  },
}
