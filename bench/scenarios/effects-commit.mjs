import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempFolder } from '../temp-crib.mjs'
import { openCrib } from '../the-build.mjs'

const script = `#!/bin/bash
# @version 1.0.0
# @tool_type script
# @executor_id rye/core/runtimes/bash/bash
# @category write
# @description Changes ten files
# @param {string} text - What to write
for n in 0 1 2 3 4 5 6 7 8 9; do echo "$PARAM_TEXT" >> "data/0/$n.txt"; done
printf '{"success": true}\\n'
`

/** A project with so many files, and a crib of it. */
async function project(folder, files) {
  const root = join(folder, `project-${files}`)
  for (let at = 0; at < files; at += 1_000) {
    const part = join(root, 'data', String(at / 1_000))
    mkdirSync(part, { recursive: true })
    for (let n = 0; n < Math.min(1_000, files - at); n++)
      writeFileSync(join(part, `${n}.txt`), `file ${at + n}\n`)
  }
  mkdirSync(join(root, '.ai/tools/write'), { recursive: true })
  writeFileSync(join(root, '.ai/tools/write/ten.sh'), script)
  // The catalog need not walk what the bench is not about.
  writeFileSync(join(root, '.toolcribignore'), 'data/\n')
  const env = { PATH: process.env.PATH, HOME: join(folder, 'home'), XDG_STATE_HOME: join(folder, 'state') }
  return openCrib({ root, env, trustFolder: true, config: { trust: 'off' } })
}

/** How long it takes to put ten changed files in place, read from the layer, judged and flushed. */
export const scenario = {
  about: 'ten changed files put in place',
  unit: 'ms',
  run: { rounds: 25, warmUp: 3 },
  async setup() {
    const { root, remove } = tempFolder()
    const cribs = {
      'of 100 files': await project(root, 100),
      'of 100,000 files': await project(root, 100_000),
    }
    const teardown = async () => {
      for (const crib of Object.values(cribs)) await crib.close()
      remove()
    }
    let count = 0
    const measure = (crib) => async () => {
      const held = await crib.call('write/ten', { text: `${count++}` }, { effects: 'hold' })
      if (held.effects?.state !== 'held') throw new Error(JSON.stringify(held))
      const started = performance.now()
      await crib.decide(held.runId, 'all')
      return performance.now() - started
    }
    try {
      await measure(cribs['of 100 files'])()
    } catch (error) {
      await teardown()
      return { skip: `nothing can be held here: ${error.message.slice(0, 200)}` }
    }
    const sides = Object.fromEntries(
      Object.entries(cribs).map(([name, crib]) => [name, { measure: measure(crib) }]),
    )
    return { reference: 'of 100 files', sides, teardown }
  },
}
