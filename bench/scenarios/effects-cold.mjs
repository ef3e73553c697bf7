import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempFolder } from '../temp-crib.mjs'
import { openCrib } from '../the-build.mjs'

const calls = 15

/** What a writing command costs on a layer, from the call to its changes in place, against the same without one. */
export const scenario = {
  about: 'a command that writes one file, one call after the other',
  unit: 'ms',
  run: { rounds: 9, warmUp: 1 },
  short: { rounds: 5, warmUp: 1 },
  async setup() {
    const { root, remove } = tempFolder()
    const project = join(root, 'project')
    mkdirSync(join(project, 'skills/write'), { recursive: true })
    writeFileSync(
      join(project, 'skills/write/SKILL.md'),
      '---\nname: write\ndescription: writes\n---\nWrite.\n',
    )
    writeFileSync(
      join(project, 'skills/write/tools.json'),
      JSON.stringify({
        tools: [
          {
            name: 'write_text',
            parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
          },
          { name: 'write_nothing', parameters: { type: 'object', properties: {} } },
        ],
        allowlist: { tee: [''], true: [''] },
        execution: [
          {
            tool: 'write_text',
            binary: 'tee',
            subcommand: '',
            args: [
              { kind: 'literal', value: 'out.txt' },
              { param: 'text', kind: 'stdin' },
            ],
          },
          { tool: 'write_nothing', binary: 'true', subcommand: '', args: [] },
        ],
      }),
    )
    const env = { PATH: process.env.PATH, HOME: join(root, 'home'), XDG_STATE_HOME: join(root, 'state') }
    const config = { trust: 'off', sandbox: { engine: 'launcher' } }
    const options = { root: project, env, trustFolder: true }
    const direct = await openCrib({ ...options, config: { ...config, effects: { default: 'direct' } } })
    const layered = await openCrib({ ...options, config })
    const probe = await layered.call('write_text', { text: 'probe' })
    const close = async () => {
      await direct.close()
      await layered.close()
      remove()
    }
    if (probe.effects?.state !== 'committed') {
      await close()
      return { skip: `no layer can be mounted here: ${probe.effects?.reason ?? probe.error?.message}` }
    }
    let count = 0
    const side = (crib, tool) => ({
      operations: calls,
      work: async () => {
        for (let index = 0; index < calls; index++) {
          const params = tool === 'write_text' ? { text: `${count++}` } : {}
          const outcome = await crib.call(tool, params)
          if (!outcome.ok) throw new Error(outcome.error.message)
        }
      },
    })
    return {
      reference: 'direct',
      sides: {
        direct: side(direct, 'write_text'),
        'on a layer, put in place': side(layered, 'write_text'),
        'direct, writes nothing': side(direct, 'write_nothing'),
        'on a layer, writes nothing': side(layered, 'write_nothing'),
      },
      teardown: close,
    }
  },
}
