// The configuration of a call: what the cascade says, and what the format itself adds to validated params
// (resolved configuration files, the chosen action).

import type { Call } from '../../kernel/call.ts'
import type { Check } from '../../kernel/stages.ts'
import { isThenable } from '../../tool/is-thenable.ts'
import type { GuardServices } from '../services.ts'
import { addConfig } from '../skills/weave.ts'

export function config(services: Pick<GuardServices, 'config' | 'spaces' | 'traits' | 'verifyFile'>): Check {
  return {
    name: 'config',
    stage: '$configure',
    needs: ['params'],
    check(call) {
      if (call.metadata['config'] !== undefined) addConfig(call, call.metadata['config'])
      const { finishParams } = services.traits(call.tool)
      if (!finishParams) return undefined
      const params = finishParams(call.tool, call.params, services, services.verifyFile)
      if (params === call.params) return undefined
      if (isThenable(params)) return takeLater(call, params)
      call.params = params
      return undefined
    },
  }
}

async function takeLater(call: Call, params: PromiseLike<unknown>): Promise<void> {
  call.params = await params
}
