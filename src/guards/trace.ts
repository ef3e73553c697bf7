// Around everything: the record of the run, whatever comes of it.
import type { Call } from '../kernel/call.ts'
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
        if (isRecorded(call)) services.record(call)
      }
    },
  }
}

/** Middleware that went well is a span of the call it serves; what failed or was refused has a record of its own. */
function isRecorded(call: Call): boolean {
  return call.options.target === undefined || call.error !== undefined
}
