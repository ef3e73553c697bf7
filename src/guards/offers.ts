// Who is offered a tool? The checks that look at a tool and at who asks answer, before there are arguments and by what
// the catalog knows: no file is read, because a list asks for every tool it shows.
import { isForModels, needsModel } from '../catalog/offered-tools.ts'
import { Call } from '../kernel/call.ts'
import type { Check, Wrapper } from '../kernel/stages.ts'
import { isUnrestricted, type Principal } from '../tool/principal.ts'
import type { Tool } from '../tool/tool.ts'

export class Offers {
  readonly #checks: readonly Check[]
  readonly #hasModel: () => boolean
  /** By principal, for as long as it lives; a tool that changed is another object. */
  #known = new WeakMap<Principal, WeakMap<Tool, readonly Check[]>>()

  /** `hasModel`: whether a model is configured that can answer a skill in words. */
  constructor(parts: readonly (Check | Wrapper)[], hasModel: () => boolean) {
    this.#hasModel = hasModel
    this.#checks = parts.filter((part): part is Check => 'check' in part && isAboutToolAndAsker(part))
  }

  /** Forgets what was found; called when the settings changed. */
  forget(): void {
    this.#known = new WeakMap()
  }

  /** Whether a list may show the tool: rights of its own do not keep this one from every call of it. */
  isVisible(tool: Tool, principal: Principal): boolean {
    return (
      isUnrestricted(principal) || !this.#refusing(tool, principal).some(({ judgesRights }) => judgesRights)
    )
  }

  /**
   * Whether a client is offered the tool: some call of it would not be refused. A tool of the crib's own that lacks only
   * a grant is, because the operator may add one; one that ships is not. No tool is offered to itself (D18).
   */
  isOffered(tool: Tool, principal: Principal): boolean {
    if (!isForModels(tool) || tool.id === principal.tool) return false
    if (needsModel(tool) && !this.#hasModel()) return false
    if (!this.isVisible(tool, principal)) return false
    return this.#refusing(tool, principal).every(({ judgesRights }) => judgesRights && tool.tier !== 'system')
  }

  /** Whether the text of a tool may be read to this one: text is code to a model, so what must not run is not read. */
  isReadable(tool: Tool, principal: Principal): boolean {
    return this.#ask(tool, principal, { asText: true }).every(({ judgesRights }) => judgesRights)
  }

  /** The first check that keeps this one from every call of the tool; undefined: none does. */
  stoppedBy(tool: Tool, principal: Principal): string | undefined {
    return this.#refusing(tool, principal)[0]?.name
  }

  #refusing(tool: Tool, principal: Principal): readonly Check[] {
    const known = this.#known.get(principal) ?? new WeakMap<Tool, readonly Check[]>()
    this.#known.set(principal, known)
    const refusing = known.get(tool) ?? this.#ask(tool, principal)
    known.set(tool, refusing)
    return refusing
  }

  #ask(tool: Tool, principal: Principal, how?: { readonly asText: boolean }): readonly Check[] {
    const options = { principal, dryRun: true, hasNoArgsYet: true, asListed: true, ...how }
    const call = new Call({ id: '', tool, args: undefined, options, startedAt: 0 })
    return this.#checks.filter(
      (check) => check.applies?.(tool, statesAnything) !== false && refuses(check, call),
    )
  }
}

/** A list does not know what the levels above a tool state. */
const statesAnything = () => true

function isAboutToolAndAsker({ stage, judgesArgs }: Check): boolean {
  return (stage === '$start' || stage === '$pre-configure') && !judgesArgs
}

/** A check that must wait for its answer has no say in a list. */
function refuses(check: Check, call: Call): boolean {
  try {
    const pending = check.check(call)
    if (pending instanceof Promise) pending.catch(() => undefined)
    return false
  } catch {
    return true
  }
}
