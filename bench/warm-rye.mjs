// Warm calls of a Rye tool through the whole onion, against a bare round trip and against a process per call.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { lineChild, medianCall } from './json-lines.mjs'
import { place } from './placement.mjs'
import { openCrib } from './the-build.mjs'

const calls = 1_000
const params = { name: 'Ada', count: 3 }

/** A scenario for one language: its tool file, its interpreter, and the bare echo in it. */
export function warmScenario({ about, path, text, program, bareArgs, coldArgs }) {
  return {
    about,
    unit: 'µs',
    run: { rounds: 9, warmUp: 2 },
    async setup() {
      const root = realpathSync(mkdtempSync(join(tmpdir(), 'toolcrib-bench-')))
      const file = join(root, '.ai', 'tools', path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, text)
      const crib = await openCrib({ root, config: { trust: 'warn' } })
      const id = path.replace(/\.\w+$/, '')
      const interpreter = program()
      const child = lineChild(interpreter, bareArgs)
      const call = async () => {
        const outcome = await crib.call(id, params)
        if (!outcome.ok) throw new Error(outcome.error.message)
      }
      const bare = () => child.ask(params)
      const placed = (how, work) => () => {
        place(how)
        return medianCall(calls, work)
      }
      await call()
      return {
        reference: 'bare round trip',
        sides: {
          'bare round trip': { measure: placed('apart', bare) },
          'ours, warm': { measure: placed('apart', call) },
          'bare round trip, one core': { measure: placed('together', bare) },
          'ours, warm, one core': { measure: placed('together', call) },
          'a process per call': {
            measure() {
              place('anywhere')
              return medianCall(5, () => void execFileSync(interpreter, coldArgs, { input: '{}\n' }))
            },
          },
        },
        teardown: async () => {
          child.close()
          await crib.close()
          rmSync(root, { recursive: true, force: true })
        },
      }
    },
  }
}
