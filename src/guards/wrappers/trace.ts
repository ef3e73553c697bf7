// Around everything: the record of the run, whatever comes of it.
import type { Call } from '../../kernel/call.ts'
import type { Wrapper } from '../../kernel/stages.ts'
import type { GuardServices } from '../services.ts'
import { startSpan } from './telemetry.ts'

export function trace(services: Pick<GuardServices, 'record'>): Wrapper {
  /** Middleware that went well is a part of the call it serves; what failed or was refused has a record of its own. */
  function recordFailure(call: Call): void {
    if (call.error !== undefined) services.record(call)
  }

  return {
    name: 'trace',
    stage: '$start',
    wrap(call) {
      const endSpan = call.target === call ? startSpan(call) : undefined
      call.atEnd = call.target === call ? services.record : recordFailure
      if (!endSpan) return
      call.atEnd = () => {
        services.record(call)
        endSpan()
      }
    },
    rehearse(call) {
      call.atEnd = services.record
    },
  }
}
