// A tool with a limit over all nodes (`fleet.tools`) runs only with a slot there: a call waits for one, within its
// own time. Requests of the queue bring theirs along.
import type { Next } from '../../kernel/compose.ts'
import type { Wrapper } from '../../kernel/stages.ts'
import type { GuardServices } from '../services.ts'

/** Gives a slot back. */
export type LeaveSlot = () => Promise<void>

export function fleetSlot(services: Pick<GuardServices, 'config' | 'slot'>): Wrapper {
  async function withSlot(taking: Promise<LeaveSlot>, next: Next): Promise<unknown> {
    const leave = await taking
    try {
      return await next()
    } finally {
      await leave()
    }
  }

  return {
    name: 'fleet-slot',
    stage: '$pre-execute',
    inEntries: false,
    applies: () => Object.keys(services.config.fleet.tools).length > 0,
    wrap(call, next) {
      const taking = call.options.hasSlot ? null : services.slot(call)
      return taking === null ? undefined : withSlot(taking, next)
    },
  }
}
