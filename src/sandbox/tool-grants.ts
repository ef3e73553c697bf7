// Which grants apply to a tool: the default ones, plus those of every pattern that matches its id or tags,
// narrowed by what the caller itself may pass on.
import type { Config, EffectPolicy } from '../config/config.ts'
import { partsOf } from '../formats/tool-parts.ts'
import { isObserved } from '../tool/capabilities.ts'
import { coversCapability, type Grant, parseGrant } from '../tool/capability.ts'
import { lazyModule } from '../tool/lazy-module.ts'
import type { Tool } from '../tool/tool.ts'
import { isListed } from './network-access.ts'

const picomatch = lazyModule<typeof import('picomatch')>('picomatch')

/** In the list of a tool: nothing that is granted elsewhere counts for it. */
export const onlyThese = 'only'

/** The lists with `only` that count for a tool; one under its own id counts alone. */
export function exactLists(tool: Tool, { grants }: Config): readonly (readonly string[])[] {
  const own = grants.tools[tool.id]
  if (own?.includes(onlyThese)) return [own]
  return listsFor(tool, grants.tools).filter((list) => list.includes(onlyThese))
}

/** All grants of `toolcrib.yaml` for this tool, in file order, no repeats. */
export function grantsFor(tool: Tool, config: Config): string[] {
  const exact = exactLists(tool, config)
  if (exact.length > 0) return [...new Set(exact.flat())].filter((grant) => grant !== onlyThese)
  const own = listsFor(tool, config.grants.tools).flat()
  const narrowed = narrowedBy(own)
  return [...new Set([...config.grants.default.filter((grant) => !narrowed.has(grant)), ...own])]
}

/** Those of them that stand in a list of `grants.tools`. */
export function namedGrants(tool: Tool, { grants }: Config): string[] {
  return [...new Set(listsFor(tool, grants.tools).flat())].filter((grant) => grant !== onlyThese)
}

/** What becomes of the file changes of a tool: the last setting that names it counts (E9). */
export function effectPolicyOf(tool: Tool, settings: Config['effects']): EffectPolicy {
  const named = Object.entries(settings.tools).findLast(([pattern]) => matchesTool(pattern, tool))
  return named?.[1] ?? settings.default
}

function listsFor(tool: Tool, tools: Config['grants']['tools']): (readonly string[])[] {
  return Object.entries(tools).flatMap(([pattern, list]) => (matchesTool(pattern, tool) ? [list] : []))
}

/**
 * The default grants that a scoped one of the same capability replaces, so that it narrows (G26). A place outside the
 * crib narrows nothing: it comes on top.
 */
function narrowedBy(own: readonly string[]): ReadonlySet<string> {
  const narrowed = new Set<string>()
  for (const grant of own) {
    const { capability, scope } = parseGrant(grant)
    const isOutside = capability.startsWith('fs.') && /^[/~]/.test(scope ?? '')
    if (scope !== undefined && !isOutside && !own.includes(capability)) narrowed.add(capability)
  }
  return narrowed
}

/** `#tag`, `format:glob` or a glob on the id; `*` alone spans slashes. */
export function matchesTool(pattern: string, tool: Tool): boolean {
  if (pattern === '*') return true
  const matches = matcherOf(pattern)
  if (pattern.startsWith('#')) return tool.tags.some((tag) => matches(tag))
  return idsOf(tool).some((id) => matches(id) || matches(`${tool.format}:${id}`))
}

const matchers = new Map<string, (text: string) => boolean>()

/** Compiled once for each pattern: settings have few, catalogs many tools. */
function matcherOf(pattern: string): (text: string) => boolean {
  let matcher = matchers.get(pattern)
  if (!matcher) {
    matcher = pattern.startsWith('#') ? picomatch()(pattern.slice(1)) : picomatch()(pattern, { dot: true })
    if (matchers.size > 1_000) matchers.clear()
    matchers.set(pattern, matcher)
  }
  return matcher
}

/** Its id, and the one it had before, which a setting may still name. */
function idsOf({ id, details }: Tool): string[] {
  return details?.formerId === undefined ? [id] : [id, details.formerId]
}

/** The first needed capability that no grant covers; undefined when all are granted. */
export function missingCapability(needed: readonly string[], grants: readonly string[]): string | undefined {
  return needed.find((text) => {
    const need = parseGrant(text)
    return !isObserved(need.capability) && !grants.some((grant) => covers(parseGrant(grant), need))
  })
}

/** A need that names a host is met by a grant for that host, or for every public one. */
function covers(grant: Grant, need: Grant): boolean {
  if (!coversCapability(grant.capability, need.capability)) return false
  if (need.scope === undefined || grant.scope === undefined || grant.scope === need.scope) return true
  const [, host, port] = /^(.*?)(?::(\d+))?$/.exec(need.scope)!
  return isListed({ mode: 'hosts', hosts: [grant.scope] }, host!, Number(port ?? 443))
}

/** The line of toolcrib.yaml that grants all this. */
export function grantLine(toolId: string, grants: readonly string[]): string {
  const list = grants.map((grant) => (grant.includes(':') ? JSON.stringify(grant) : grant))
  return `grants: { tools: { "${toolId}": [${list.join(', ')}] } }`
}

/** What to grant for a capability, so that the tool then runs: a private address must be named by the grant itself. */
export function grantsNeeded(tool: Tool, capability: string): string[] {
  const hosts = capability === 'net.http' ? (partsOf(tool).hosts?.(tool) ?? []) : []
  return hosts.length > 0 ? hosts.map((host) => `net.http:${host}`) : [capability]
}

/** Grants that survive the caller's own list: a token can only narrow. */
export function narrowGrants(
  grants: readonly string[],
  callerGrants: readonly string[] | undefined,
): string[] {
  if (!callerGrants) return [...grants]
  const narrowed = new Set<string>()
  for (const grant of grants) {
    for (const own of callerGrants) {
      const wide = parseGrant(grant)
      const narrow = parseGrant(own)
      if (
        coversCapability(narrow.capability, wide.capability) &&
        (narrow.scope === undefined || narrow.scope === wide.scope)
      )
        narrowed.add(grant)
      else if (
        coversCapability(wide.capability, narrow.capability) &&
        (wide.scope === undefined || wide.scope === narrow.scope)
      )
        narrowed.add(own)
    }
  }
  return [...narrowed]
}
