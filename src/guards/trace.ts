// Around everything: the record of the run, whatever comes of it.
import type { Guard } from '../kernel/pipeline.ts'
import type { GuardServices } from './services.ts'

export function trace(services: GuardServices): Guard {
  return {
    name: 'trace',
    after: '$start',
    inChainEntries: true,
    async run(call, next) {
      try {
        await next()
      } catch (error) {
        call.error = error
        throw error
      } finally {
        services.record(call)
      }
    },
  }
}
