// Around the runtime: what a call writes to the files is held apart, and when the call has ended by itself it is judged
// and becomes what the policy says; a call that was stopped leaves nothing (E9, E10). What the calls around it wrote so
// far is put in place before it begins (E13).
import type { Call } from '../../kernel/call.ts'
import type { Wrapper } from '../../kernel/stages.ts'
import { CallChanges } from '../../sandbox/changes/call-changes.ts'
import type { ChangeSet } from '../../sandbox/changes/change-set.ts'
import { effectsOf } from '../../sandbox/changes/effects-of.ts'
import { effectPolicyOf } from '../../sandbox/tool-grants.ts'
import { errorData } from '../../tool/tool-error.ts'
import type { GuardServices } from '../services.ts'
import { heldRunOf } from './held.ts'
import { isStopped } from './is-stopped.ts'

type Services = Pick<GuardServices, 'config' | 'changes'>

/** The changes of middleware that is under way, by the call that it serves. */
const around = new WeakMap<Call, Set<CallChanges>>()
const none: readonly CallChanges[] = []

export function effects(services: Services): Wrapper {
  return {
    name: 'effects',
    stage: '$execute',
    needs: ['grants'],
    applies: (tool) => tool.runtime !== null,
    wrap(call, next) {
      const outer = call.parent || around.has(call) ? changesAround(call) : none
      call.changes = changesFor(call, services, outer)
      if (!call.changes) return undefined
      if (outer.length > 0) return afterSteps(call, services, outer, next)
      const rest = next()
      return rest instanceof Promise ? settled(call, services, rest) : rest
    },
    // What runs to make a plan, such as a resolver of parameters, writes to a layer that is thrown away.
    rehearse(call) {
      call.changes = changesFor(call, services, none)
    },
  }
}

/** What the call writes is kept here; undefined: it writes nothing. */
function changesFor(call: Call, services: Services, outer: readonly CallChanges[]): CallChanges | undefined {
  const { profile } = call
  const held = heldRunOf(call)
  if (!profile || (profile.write.length === 0 && !held && outer.length === 0)) return undefined
  return new CallChanges(services.changes, {
    run: call.id,
    within: call.parent ? idsAround(call) : [],
    session: call.parent ? sessionOf(call) : call.options.session,
    tool: call.tool.id,
    policy: call.options.effects ?? effectPolicyOf(call.tool, services.config.effects),
    profile,
    held,
    isRetry: call.attempts > 0,
  })
}

function idsAround(call: Call): string[] {
  const ids: string[] = []
  for (let at = call.parent; at; at = at.parent) ids.unshift(at.id)
  return ids
}

/** What the outermost call belongs to, what it causes belongs to as well. */
function sessionOf(call: Call): string | undefined {
  let session: string | undefined
  for (let at: Call | null = call; at; at = at.parent) session ??= at.options.session
  return session
}

/** The changes of the calls around one that have a process on a layer, outermost first. */
function changesAround(call: Call): CallChanges[] {
  const found: CallChanges[] = []
  for (let at: Call | null = call; at; at = at.parent) {
    if (at !== call && at.changes) found.unshift(at.changes)
    for (const changes of around.get(at) ?? []) found.unshift(changes)
  }
  return found.filter(({ isUnderWay }) => isUnderWay)
}

async function afterSteps(
  call: Call,
  services: Services,
  outer: readonly CallChanges[],
  next: () => unknown,
): Promise<unknown> {
  for (const changes of outer) await changes.step()
  try {
    return await settled(call, services, Promise.resolve(next()))
  } finally {
    if (call.effects && call.effects.state !== 'none') for (const changes of outer) await changes.follow()
  }
}

async function settled(call: Call, { config }: Services, rest: Promise<unknown>): Promise<unknown> {
  const changes = call.changes!
  const leave = call.target === call ? undefined : enter(call.target, changes)
  let value: unknown
  let failure: { readonly error: unknown } | undefined
  try {
    value = await rest
  } catch (error) {
    failure = { error }
  }
  leave?.()
  if (failure && isStopped(call, failure.error)) {
    if (config.effects.onStop === 'hold') call.effects = await changes.holdStopped(failure.error)
    else changes.drop()
    call.effects ??= changes.left
    throw failure.error
  }
  const { dimensions, reasons } = call.enforcement
  try {
    const told = await changes.settle(reasons?.['effects'])
    if (dimensions['effects'] !== undefined || told.state !== 'none') call.effects = told
  } catch (error) {
    const { left } = changes
    if (left) call.effects = left
    // A layer that is not whole follows from why the call failed, and says less.
    throw failure && errorData(error).code === 'INTERNAL' ? failure.error : error
  } finally {
    if (call.parent) tellAround(call, changes)
  }
  if (!failure) return value
  call.effects ??= changes.left
  throw failure.error
}

/** What calls that may write nothing themselves have caused. */
const causedBy = new WeakMap<Call, ChangeSet[]>()

/** The calls around one tell what it put in place as a part of what they did. */
function tellAround(call: Call, changes: CallChanges): void {
  const { inPlace, mustHold } = changes
  if (inPlace.length === 0 || mustHold) return
  for (let at = call.parent; at; at = at.parent) {
    // It goes on from there when that one settles.
    if (at.changes) return at.changes.caused(inPlace)
    const sets = [...(causedBy.get(at) ?? []), ...inPlace]
    causedBy.set(at, sets)
    at.effects = effectsOf(sets, { state: 'committed', changeSet: at.id })
  }
}

/** Middleware is under way while the rest of the call it serves runs. */
function enter(target: Call, changes: CallChanges): () => void {
  const all = around.get(target) ?? new Set()
  around.set(target, all.add(changes))
  return () => all.delete(changes)
}
