// Around the runtime: what a call writes to the files is held apart, and when the call has ended by itself it is judged
// and becomes what the policy says; a call that was stopped leaves nothing (E9, E10).
import type { EffectPolicy } from '../../config/config.ts'
import type { Call } from '../../kernel/call.ts'
import type { Wrapper } from '../../kernel/stages.ts'
import { CallChanges } from '../../sandbox/changes/call-changes.ts'
import { matchesTool } from '../../sandbox/tool-grants.ts'
import type { Tool } from '../../tool/tool.ts'
import { isToolError } from '../../tool/tool-error.ts'
import type { GuardServices } from '../services.ts'

type Services = Pick<GuardServices, 'config' | 'changes'>

export function effects(services: Services): Wrapper {
  return {
    name: 'effects',
    stage: '$execute',
    needs: ['grants'],
    applies: (tool) => tool.runtime !== null,
    wrap(call, next) {
      const { profile } = call
      if (!profile || profile.write.length === 0) return undefined
      const changes = new CallChanges(services.changes, {
        run: call.id,
        parent: call.parent?.id,
        session: call.options.session,
        tool: call.tool.id,
        policy: policyOf(call, services),
        profile,
      })
      call.changes = changes
      const rest = next()
      return rest instanceof Promise ? settled(call, changes, rest) : rest
    },
  }
}

/** What becomes of the changes of a call: what the caller asks for, else the last setting that names the tool. */
function policyOf({ tool, options }: Call, { config }: Services): EffectPolicy {
  return options.effects ?? configuredPolicy(tool, config.effects)
}

function configuredPolicy(tool: Tool, settings: GuardServices['config']['effects']): EffectPolicy {
  const named = Object.entries(settings.tools).findLast(([pattern]) => matchesTool(pattern, tool))
  return named?.[1] ?? settings.default
}

async function settled(call: Call, changes: CallChanges, rest: Promise<unknown>): Promise<unknown> {
  let value: unknown
  try {
    value = await rest
  } catch (error) {
    if (isStopped(call, error)) changes.drop()
    else await settle(call, changes)
    throw error
  }
  await settle(call, changes)
  return value
}

async function settle(call: Call, changes: CallChanges): Promise<void> {
  if (call.enforcement.dimensions['effects'] === undefined) return changes.drop()
  call.effects = await changes.settle(call.enforcement.reasons?.['effects'])
}

/** How a call ends that somebody or something else ended. */
const stopCodes = new Set([
  'TIMEOUT',
  'CANCELLED',
  'MEMORY_LIMIT',
  'OUTPUT_TOO_LARGE',
  'WORKER_LOST',
  'HALTED',
])

function isStopped(call: Call, error: unknown): boolean {
  return call.isAborted || (isToolError(error) && stopCodes.has(error.code))
}
