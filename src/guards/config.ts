// What the format itself adds to validated params: resolved configuration files, the chosen action.
import type { Guard } from '../kernel/pipeline.ts'
import type { GuardServices } from './services.ts'

export function config(services: GuardServices): Guard {
  return {
    name: 'config',
    after: '$configure',
    inChainEntries: true,
    applies: (tool) => services.traits(tool).finishParams !== undefined,
    async run(call) {
      const finish = services.traits(call.tool).finishParams!
      call.params = await finish(call.tool, call.params, services, services.verifyFile)
    },
  }
}
