import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempFolder } from '../temp-crib.mjs'
import { openCrib } from '../the-build.mjs'

const calls = 10
const python = `import json, sys
__version__ = "1.0.0"
__tool_type__ = "python"
__executor_id__ = "python/script"
__category__ = ""
__tool_description__ = "Says hello"
if __name__ == "__main__":
    json.load(sys.stdin)
    print(json.dumps({"success": True, "data": "hello"}))
`

/** A process per call: the interpreter's own start is the floor. */
export const scenario = {
  about: 'a Python script started for every call',
  unit: 'ms',
  run: { rounds: 9, warmUp: 2 },
  async setup() {
    const { root, remove } = tempFolder()
    mkdirSync(join(root, '.ai/tools'), { recursive: true })
    const file = join(root, '.ai/tools/hello.py')
    writeFileSync(file, python)
    const env = { PATH: process.env.PATH, HOME: root }
    const open = await openCrib({ root, env, config: { sandbox: 'off', trust: 'off' } })
    const fenced = await openCrib({ root, env, config: { trust: 'off' } })
    // The interpreter the crib resolved, so that both sides start the same file.
    const planned = await open.dryRun('hello', {})
    if (!planned.ok) return { skip: planned.error.message }
    const interpreter = planned.plan.resolvedBinary
    const call = (crib) => async () => {
      for (let i = 0; i < calls; i++) {
        const outcome = await crib.call('hello', {})
        if (!outcome.ok) throw new Error(outcome.error.message)
      }
    }
    const bare = () =>
      new Promise((resolve, reject) => {
        const child = spawn(interpreter, [file], { cwd: root, env })
        child.stdout.resume()
        child.stderr.resume()
        child.on('error', reject)
        child.on('close', resolve)
        child.stdin.end('{}')
      })
    return {
      reference: 'bare spawn',
      sides: {
        'bare spawn': {
          operations: calls,
          work: async () => {
            for (let i = 0; i < calls; i++) await bare()
          },
        },
        'ours, no fence': { operations: calls, work: call(open) },
        'ours, fenced': { operations: calls, work: call(fenced) },
      },
      async teardown() {
        await open.close()
        await fenced.close()
        remove()
      },
    }
  },
}
