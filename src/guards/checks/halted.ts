// Was the crib stopped? Then nothing new begins until somebody lets it go on (G25).
import type { Check } from '../../kernel/stages.ts'
import { ToolError } from '../../tool/tool-error.ts'
import type { GuardServices } from '../services.ts'

export function halted({ haltState }: Pick<GuardServices, 'haltState'>): Check {
  return {
    name: 'halted',
    stage: '$pre-configure',
    check({ options }) {
      // It passes, and a list is kept for longer.
      if (options.asListed) return
      const { halted, since, by } = haltState()
      if (halted) throw haltedError(since, by)
    },
  }
}

/** What every call of a crib that was stopped ends with. */
export function haltedError(since?: string, by?: string): ToolError {
  const when = since === undefined ? '' : ` since ${since}`
  const who = by === undefined ? '' : ` by ${by}`
  return new ToolError('HALTED', `This crib is halted${when}${who}; nothing runs.`, {
    hint: 'Let it go on with `toolcrib resume`.',
  })
}
