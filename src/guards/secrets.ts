// Named secrets must exist before anything runs; their values go to the execution only.
import type { Guard } from '../kernel/pipeline.ts'
import type { GuardServices } from './services.ts'

export function secrets(services: GuardServices): Guard {
  return {
    name: 'secrets',
    after: '$configure',
    inChainEntries: true,
    applies: (tool) => (tool.secrets?.length ?? 0) > 0,
    async run(call) {
      call.secrets = await services.secretsOf(call)
    },
  }
}
