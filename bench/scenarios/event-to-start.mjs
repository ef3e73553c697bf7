import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { toolDocument } from '../crumb-tool.mjs'
import { denoBinary } from '../deno-binary.mjs'
import { tempFolder } from '../temp-crib.mjs'
import { openCrib } from '../the-build.mjs'

export const scenario = {
  about: 'from a breadcrumb being written to the start of the tool that listens to it',
  unit: 'ms',
  run: { rounds: 101, warmUp: 5 },
  async setup() {
    if (!denoBinary()) return { skip: 'there is no Deno' }
    const { root, remove } = tempFolder()
    mkdirSync(join(root, 'crumbs'))
    const document = toolDocument('listen', 'export const execute = () => 1', {
      subscriptions: [{ schema_name: 'note.v1' }],
    })
    writeFileSync(join(root, 'crumbs', 'listen.json'), JSON.stringify(document))
    const crib = await openCrib({ root, env: { HOME: root, PATH: process.env.PATH } })
    await crib.startEngines({ bootstrap: false, schedules: 'off', runsPerMinute: 1_000_000 })
    return {
      reference: 'ours',
      sides: {
        ours: {
          /** The run tells how long it took when it ends; what is left is the way to its start. */
          async measure() {
            const ended = new Promise((resolve) =>
              crib.once('run', (call) => resolve(performance.now() - call.elapsedMs())),
            )
            const before = performance.now()
            await crib.crumbs.create({ title: 'n', schema_name: 'note.v1', context: {} })
            return (await ended) - before
          },
        },
      },
      async teardown() {
        await crib.close()
        remove()
      },
    }
  },
}
