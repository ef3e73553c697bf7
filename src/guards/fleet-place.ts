// A tool with a limit over all nodes (`fleet.tools`) runs only with a place there: a call waits for one, within its
// own time. Requests of the queue bring theirs along.
import type { Call } from '../kernel/call.ts'
import type { Guard } from '../kernel/pipeline.ts'
import type { GuardServices } from './services.ts'

/** Gives a place back. */
export type LeavePlace = () => Promise<void>

export function fleetPlace(services: Pick<GuardServices, 'place'>): Guard {
  async function withPlace(taking: Promise<LeavePlace>, next: () => unknown): Promise<unknown> {
    const leave = await taking
    try {
      return await next()
    } finally {
      await leave()
    }
  }

  return {
    name: 'fleet-place',
    after: '$pre-execute',
    inChainEntries: false,
    isQuick: true,
    run(call: Call) {
      if (call.isDryRun || call.options.hasPlace) return undefined
      const taking = services.place(call)
      return taking === null ? undefined : withPlace(taking, call.turn!.next)
    },
  }
}
