// Follows executor ids from a tool to the primitive that runs it. A lower tier never depends on a higher one.
import { nearNames } from '../../tool/near-names.ts'
import type { RyePrimitive } from '../../tool/plans/rye-plan.ts'
import type { Tier, Tool } from '../../tool/tool.ts'
import { allExecutorNames, nativePrimitive, shortExecutor } from './executors.ts'
import { factsOf } from './facts.ts'
import type { RyeCode } from './severity.ts'

const maxElements = 10
const tierOrder: readonly Tier[] = ['project', 'user', 'system']

export interface ChainFault {
  readonly code: RyeCode
  readonly message: string
  readonly hint: string
}

export interface Chain {
  readonly links: readonly Tool[]
  readonly primitive: RyePrimitive | null
  readonly fault: ChainFault | null
}

/** All entries by tier and id; the winner of each id only. */
export class TierIndex {
  readonly #byTier = new Map<Tier, Map<string, Tool>>(tierOrder.map((tier) => [tier, new Map()]))
  readonly #aliases = new Map<Tier, Map<string, Tool | null>>(tierOrder.map((tier) => [tier, new Map()]))

  add(tool: Tool): void {
    this.#byTier.get(tool.tier)!.set(tool.id, tool)
    const aliases = this.#aliases.get(tool.tier)!
    for (const alias of tool.aliases) aliases.set(alias, aliases.has(alias) ? null : tool)
  }

  at(tier: Tier, id: string): Tool | undefined {
    return this.#byTier.get(tier)!.get(id)
  }

  /** An entry as a file of `from` may refer to it: id, then short name, then alias. */
  lookup(name: string, from: Tier): Tool | undefined {
    const allowed = tierOrder.slice(tierOrder.indexOf(from))
    const ref = name.startsWith('tool:') ? name.slice(5) : name
    for (const id of [ref, shortExecutor(ref)]) {
      if (id === undefined) continue
      for (const tier of allowed) {
        const found = this.at(tier, id)
        if (found) return found
      }
    }
    for (const tier of allowed) {
      const found = this.#aliases.get(tier)!.get(ref)
      if (found) return found
    }
    return undefined
  }

  /** The higher tier that has the entry a lower one may not use. */
  forbidden(name: string, from: Tier): Tier | undefined {
    const ref = name.startsWith('tool:') ? name.slice(5) : name
    return tierOrder
      .slice(0, tierOrder.indexOf(from))
      .find((tier) => this.at(tier, ref) ?? this.at(tier, shortExecutor(ref) ?? ref))
  }

  near(name: string): string[] {
    const ids = [...this.#byTier.values()].flatMap((tools) => [...tools.values()])
    const runnable = ids
      .filter((tool) => tool.kind === 'runtime' || tool.kind === 'primitive')
      .map((tool) => tool.id)
    return nearNames(name, [...allExecutorNames, ...runnable])
  }
}

export function resolveChain(tool: Tool, index: TierIndex): Chain {
  const links = [tool]
  for (;;) {
    const last = links.at(-1)!
    const facts = factsOf(last)
    const next = facts.executor ?? continuation(last)
    if (next === null) {
      const primitive = facts.type === 'primitive' ? nativePrimitive(last.id) : undefined
      if (primitive) return { links, primitive, fault: null }
      return { links, primitive: null, fault: tool.kind === 'callable' ? unknownPrimitive(links) : null }
    }
    const found = index.lookup(next, last.tier)
    if (!found) return { links, primitive: null, fault: missing(links, next, last.tier, index) }
    if (links.includes(found)) return { links, primitive: null, fault: cycle(links, found) }
    links.push(found)
    if (links.length > maxElements) return { links, primitive: null, fault: tooDeep(links) }
  }
}

/** A runtime without executor that has a command goes on with the subprocess primitive. */
function continuation(tool: Tool): string | null {
  const { type, config } = factsOf(tool)
  return type === 'runtime' && typeof config['command'] === 'string' ? 'rye/core/primitives/subprocess' : null
}

function spelled(links: readonly Tool[], end = ''): string {
  return `${links.map((link) => link.id).join(' -> ')}${end}`
}

function unknownPrimitive(links: readonly Tool[]): ChainFault {
  return {
    code: 'unknown-primitive',
    message: `The executor chain ends in nothing that runs: ${spelled(links, ' (not a primitive)')}.`,
    hint: 'Let the last executor name subprocess, worker, http_client, mcp_client, docker or filesystem.',
  }
}

function missing(links: readonly Tool[], name: string, from: Tier, index: TierIndex): ChainFault {
  const higher = index.forbidden(name, from)
  if (higher)
    return {
      code: 'executor-tier',
      message: `The executor exists only in a higher tier: ${spelled(links, ` -> ${name} (only in the ${higher} tier)`)}.`,
      hint: `Put the executor beside the ${from} tool too, or use one that is there: a ${from} file depends on ${from === 'user' ? 'user and system' : 'system'} files only.`,
    }
  const near = index.near(name)
  return {
    code: 'executor-not-found',
    message: `The executor does not exist: ${spelled(links, ` -> ${name} (not found)`)}.`,
    hint:
      near.length > 0
        ? `Did you mean ${near.join(' or ')}?`
        : 'Add a runtime entry with this id, or name a shipped one.',
  }
}

function cycle(links: readonly Tool[], again: Tool): ChainFault {
  return {
    code: 'chain-cycle',
    message: `The executor chain goes in a circle: ${spelled(links, ` -> ${again.id}`)}.`,
    hint: 'Let one of these entries name a primitive as its executor.',
  }
}

function tooDeep(links: readonly Tool[]): ChainFault {
  return {
    code: 'chain-too-deep',
    message: `The executor chain has more than ${maxElements} elements: ${spelled(links)}.`,
    hint: 'Let a runtime name its primitive directly.',
  }
}
