// Around everything: the record of the run, whatever comes of it.
import type { Call } from '../kernel/call.ts'
import type { Guard } from '../kernel/pipeline.ts'
import type { GuardServices } from './services.ts'
import { startSpan } from './telemetry.ts'

export function trace(services: GuardServices): Guard {
  /** Middleware that went well is a part of the call it serves; what failed or was refused has a record of its own. */
  function recordFailure(call: Call): void {
    if (call.error !== undefined) services.record(call)
  }

  return {
    name: 'trace',
    after: '$start',
    inChainEntries: true,
    async run(call, next) {
      const endSpan = startSpan(call)
      try {
        await next()
      } catch (error) {
        call.error = error
        throw error
      } finally {
        services.record(call)
        endSpan?.()
      }
    },
    runInEntry(call) {
      call.atEnd = recordFailure
    },
  }
}
