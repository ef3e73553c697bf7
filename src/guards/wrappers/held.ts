// Around a call whose file changes are held or thrown away: what it and everything it calls writes is one change set,
// and nothing of it is in place before somebody accepts it (E9, E13).
import type { Call } from '../../kernel/call.ts'
import type { Wrapper } from '../../kernel/stages.ts'
import { HeldRun } from '../../sandbox/changes/held-run.ts'
import { effectPolicyOf } from '../../sandbox/tool-grants.ts'
import type { GuardServices } from '../services.ts'
import { isStopped } from './is-stopped.ts'

type Services = Pick<GuardServices, 'config' | 'changes'>

const heldRuns = new WeakMap<Call, HeldRun>()

export function held(services: Services): Wrapper {
  return {
    name: 'held',
    stage: '$start',
    inEntries: false,
    wrap(call, next) {
      const policy = call.options.effects ?? effectPolicyOf(call.tool, services.config.effects)
      if ((policy !== 'hold' && policy !== 'discard') || heldRunOf(call)) return undefined
      const run = new HeldRun(services.changes, {
        run: call.id,
        session: call.options.session,
        tool: call.tool.id,
        policy,
        profile: () => call.profile,
      })
      heldRuns.set(call, run)
      return settled(call, run, services, next())
    },
  }
}

/** The held run that a call is, or is a part of. */
export function heldRunOf(call: Call): HeldRun | undefined {
  for (let at: Call | null = call; at; at = at.parent) {
    const run = heldRuns.get(at)
    if (run) return run
  }
  return undefined
}

async function settled(call: Call, run: HeldRun, { config }: Services, rest: unknown): Promise<unknown> {
  let value: unknown
  try {
    value = await rest
  } catch (error) {
    if (!isStopped(call, error)) call.effects = run.settle()
    else if (config.effects.onStop === 'hold') call.effects = run.hold(undefined, error)
    else run.drop()
    throw error
  }
  call.effects = run.settle()
  return value
}
