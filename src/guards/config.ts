// The configuration of a call: what the cascade says, and what the format itself adds to validated params
// (resolved configuration files, the chosen action).

import type { Traits } from '../formats/format.ts'
import type { Call } from '../kernel/call.ts'
import type { Guard } from '../kernel/pipeline.ts'
import { addConfig } from '../kernel/weave.ts'
import type { GuardServices } from './services.ts'

type Finish = NonNullable<Traits['finishParams']>

export function config(services: GuardServices): Guard {
  async function finishParams(call: Call, finish: Finish): Promise<void> {
    call.params = await finish(call.tool, call.params, services, services.verifyFile)
  }

  return {
    name: 'config',
    after: '$configure',
    inChainEntries: true,
    isQuick: true,
    run(call) {
      if (call.metadata['config'] !== undefined) addConfig(call, call.metadata['config'])
      const finish = services.traits(call.tool).finishParams
      return finish && finishParams(call, finish)
    },
  }
}
