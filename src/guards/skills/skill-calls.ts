// The calls that skills and their metadata cause: middleware, delegates, hooks, `manager.invoke`. Each is an ordinary
// call in the name of the skill that makes it.
import type { RefBase, Resolve } from '../../catalog/resolver.ts'
import type { Call } from '../../kernel/call.ts'
import { type Entry, makeEntry } from '../../kernel/compose.ts'
import type { Composed, Kernel, Weaver } from '../../kernel/kernel.ts'
import type { Position } from '../../kernel/stages.ts'
import type { Context, InvokeOptions } from '../../runtimes/skill/context.ts'
import type { Followers } from '../../runtimes/skill/fenced/followers.ts'
import { lookedUpIn } from '../../runtimes/skill/globals.ts'
import { interpolate } from '../../runtimes/skill/interpolate.ts'
import type { Cascade, Woven, WovenHook, WovenKey } from '../../tool/cascade.ts'
import type { Principal } from '../../tool/principal.ts'
import type { Tool } from '../../tool/tool.ts'
import { contextOf } from './context-of.ts'
import { KeyFollowers } from './key-followers.ts'
import { makeContext, type Surroundings } from './make-context.ts'
import type { ManagerCalls } from './manager.ts'
import { addConfig, argsOfKey, type EntryCalls, type WovenChain, weave } from './weave.ts'

export interface SkillParts {
  /** Which tool is meant: the catalog's answer. */
  readonly resolve: Resolve
  /** What the levels above a tool come to. */
  cascade(): Cascade
  surroundings(): Surroundings
  /** Reads the files again. */
  refresh(): Promise<void>
}

/** A call of what metadata names. */
export interface MetadataCall {
  readonly from: Call
  readonly ref: string
  readonly args: unknown
  readonly declaredBy: Tool
  readonly isHook?: boolean
}

export class SkillCalls implements Weaver, ManagerCalls, EntryCalls {
  readonly #kernel: Kernel
  readonly #parts: SkillParts

  constructor(kernel: Kernel, parts: SkillParts) {
    this.#kernel = kernel
    this.#parts = parts
  }

  weave(positions: readonly Position[], tool: Tool, asEntry: boolean): Composed {
    return weave(positions, { tool, asEntry, woven: this.#parts.cascade().of(tool, asEntry) }, this)
  }

  context(call: Call): Context {
    return makeContext(call, this, this.#parts.surroundings())
  }

  /** A context that belongs to no running call: what lists and descriptions resolve schemas against. */
  blankContext(tool: Tool, principal: Principal, args?: unknown, parent?: Call): Context {
    const call = this.#kernel.make(tool, args, parent ? { principal, parent } : { principal })
    const context = contextOf(call)
    const config = wovenOf(this.#kernel.compose(tool))?.metadata['config']
    if (config !== undefined) addConfig(call, interpolate(config, lookedUpIn(context)))
    call.finish()
    return context
  }

  /** A tool's call of another tool, with its principal's rights; rejects with what was thrown, as the same object. */
  async invoke(from: Call, ref: string, args: unknown, options: InvokeOptions): Promise<unknown> {
    const principal = from.asPrincipal
    const tool = await this.#namedBy(from, ref)
    return await this.#kernel.run(this.#kernel.makeChild(tool, args, { principal, ...options, parent: from }))
  }

  /** Calls what a skill's metadata names: the skill is the principal, its own files need no permission (S36). */
  async runRef(given: MetadataCall): Promise<unknown> {
    return await this.#kernel.run(await this.#callOfRef(given))
  }

  /** The plan of such a call; rejects with what it would be refused with. */
  async rehearseRef(given: MetadataCall): Promise<unknown> {
    return await this.#kernel.rehearse(await this.#callOfRef(given))
  }

  async #callOfRef({ from, ref, args, declaredBy, isHook = false }: MetadataCall): Promise<Call> {
    const allowList = declaredBy.details?.allowedTools ?? from.options.allowList
    const binding = allowList === undefined ? {} : { allowedTools: allowList }
    const principal: Principal = { ...from.asPrincipal, tool: declaredBy.id, ...binding }
    const tool = await this.#parts.resolve(ref, {
      as: principal,
      from: { tool: declaredBy, isMetadata: true },
      load: from.isDryRun ? 'static' : 'full',
    })
    const { onText } = from.options
    return this.#kernel.makeChild(tool, args, {
      principal,
      parent: from,
      isOwnCode: tool.details?.ownCodeOf === declaredBy.id,
      isHook,
      // A delegate answers for the tool, so its text is the tool's.
      onText: !isHook && onText ? (text: string) => from.say(text) : undefined,
      allowList,
    })
  }

  runHook(from: Call, { ref, declaredBy }: WovenHook, args: unknown): Promise<unknown> {
    return this.runRef({ from, ref, args, declaredBy, isHook: true })
  }

  /**
   * Runs the tool of a metadata key. One whose frontmatter is computed is known in full before its first run, so that
   * its own list, keys and defaults bind that run; its position in the chain was settled before and does not change
   * in this call.
   */
  runKey(target: Call, key: WovenKey): unknown {
    const { tool, name } = key
    const from: RefBase = { tool: target.tool, isMetadata: true }
    const found = this.#parts.resolve(tool, { as: target.asPrincipal, from, load: 'full' })
    if (!(found instanceof Promise)) return this.#runEntry(target, tool, argsOfKey(target, key))
    return found.then((full) => {
      const woven = wovenOf(this.#kernel.compose(target.tool, target.target !== target))
      const now = woven?.keys.find((each) => each.name === name) ?? key
      return this.#runEntry(target, full, argsOfKey(target, now))
    })
  }

  /** The middleware right behind this one; null where it is none itself. */
  followersOf(call: Call): Followers | null {
    if (call.target === call) return null
    return new KeyFollowers(call, {
      compose: (tool) => this.#kernel.compose(tool, true),
      make: (target, key) => {
        const from: RefBase = { tool: target.tool, isMetadata: true }
        const found = this.#parts.resolve(key.tool, { as: target.asPrincipal, from, load: 'full' })
        if (found instanceof Promise) {
          found.catch(() => {})
          return undefined
        }
        return this.#entryCall(target, key.tool, argsOfKey(target, key))
      },
    })
  }

  async rehearseKey(target: Call, key: WovenKey): Promise<void> {
    await this.#kernel.rehearse(this.#entryCall(target, key.tool, argsOfKey(target, key)))
  }

  /** Runs a tool as middleware of a call: what it gives back, or a promise of it. */
  #runEntry(target: Call, tool: Tool, args: unknown): unknown {
    return this.#kernel.run(this.#entryCall(target, tool, args))
  }

  #entryCall(target: Call, tool: Tool, args: unknown): Call {
    return this.#kernel.makeChild(tool, args, { principal: target.asPrincipal, target, parent: target })
  }

  entryFor(call: Call, name: string, args: unknown): Entry {
    const found = this.#namedBy(call, name)
    if (found instanceof Promise) found.catch(() => {})
    const run = async (target: Call) => this.#runEntry(target, await found, args)
    return makeEntry({ name, kind: 'middleware', runsTool: true, run })
  }

  async refresh(call: Call): Promise<readonly Entry[]> {
    await this.#parts.refresh()
    const from: RefBase = { tool: call.tool, isMetadata: false }
    const tool = await this.#parts.resolve(call.tool.id, { as: call.principal, from, load: 'full' })
    return this.#kernel.compose(tool, call.target !== call).chain
  }

  /** What the code of a tool means by a name. */
  #namedBy(call: Call, name: string): Tool | Promise<Tool> {
    const from: RefBase = { tool: call.tool, isMetadata: false }
    return this.#parts.resolve(name, { as: call.asPrincipal, from, load: 'full' })
  }
}

/** What was woven into a chain; undefined where nothing was, as with one that is refused. */
export function wovenOf(composed: Composed): Woven | undefined {
  return (composed as Partial<WovenChain>).woven
}
