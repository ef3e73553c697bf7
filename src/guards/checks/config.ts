// The configuration of a call: what the cascade says, and what the format itself adds to validated params
// (resolved configuration files, the chosen action).

import type { Traits } from '../../formats/format.ts'
import type { Call } from '../../kernel/call.ts'
import type { Check } from '../../kernel/stages.ts'
import type { GuardServices } from '../services.ts'
import { addConfig } from '../skills/weave.ts'

type Finish = NonNullable<Traits['finishParams']>

export function config(services: Pick<GuardServices, 'config' | 'spaces' | 'traits' | 'verifyFile'>): Check {
  async function finishParams(call: Call, finish: Finish): Promise<void> {
    call.params = await finish(call.tool, call.params, services, services.verifyFile)
  }

  return {
    name: 'config',
    stage: '$configure',
    needs: ['params'],
    check(call) {
      if (call.metadata['config'] !== undefined) addConfig(call, call.metadata['config'])
      const finish = services.traits(call.tool).finishParams
      return finish && finishParams(call, finish)
    },
  }
}
