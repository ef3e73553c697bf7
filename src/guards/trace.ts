// Around everything: the record of the run, whatever comes of it.
import type { Call } from '../kernel/call.ts'
import type { Guard } from '../kernel/pipeline.ts'
import type { GuardServices } from './services.ts'
import { startSpan } from './telemetry.ts'

export function trace(services: GuardServices): Guard {
  function record(call: Call): void {
    services.record(call)
  }

  /** Middleware that went well is a part of the call it serves; what failed or was refused has a record of its own. */
  function recordFailure(call: Call): void {
    if (call.error !== undefined) services.record(call)
  }

  return {
    name: 'trace',
    after: '$start',
    inChainEntries: true,
    isQuick: true,
    run(call) {
      const endSpan = startSpan(call)
      call.atEnd = endSpan ? recordAndEnd(endSpan) : record
    },
    runInEntry(call) {
      call.atEnd = recordFailure
    },
  }

  function recordAndEnd(endSpan: () => void): (call: Call) => void {
    return (call) => {
      services.record(call)
      endSpan()
    }
  }
}
