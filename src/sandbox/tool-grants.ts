// Which grants apply to a tool: the default ones, plus those of every pattern that matches its id or tags,
// narrowed by what the caller itself may pass on.
import type { Config } from '../config/config.ts'
import { coversCapability, parseGrant } from '../tool/capability.ts'
import { lazyModule } from '../tool/lazy-module.ts'
import type { Tool } from '../tool/tool.ts'

const picomatch = lazyModule<typeof import('picomatch')>('picomatch')

/** All grants of `toolcrib.yaml` for this tool, in file order, no repeats. */
export function grantsFor(tool: Tool, config: Config): string[] {
  const grants = new Set(config.grants.default)
  for (const [pattern, list] of Object.entries(config.grants.tools)) {
    if (matchesTool(pattern, tool)) for (const grant of list) grants.add(grant)
  }
  return [...grants]
}

/** `#tag`, `format:glob` or a glob on the id; `*` alone spans slashes. */
export function matchesTool(pattern: string, tool: Tool): boolean {
  if (pattern === '*') return true
  if (pattern.startsWith('#')) return tool.tags.some((tag) => picomatch().isMatch(tag, pattern.slice(1)))
  return (
    picomatch().isMatch(tool.id, pattern, { dot: true }) ||
    picomatch().isMatch(`${tool.format}:${tool.id}`, pattern, { dot: true })
  )
}

/** The first needed capability that no grant covers; undefined when all are granted. */
export function missingCapability(needed: readonly string[], grants: readonly string[]): string | undefined {
  return needed.find((need) => !grants.some((grant) => coversCapability(parseGrant(grant).capability, need)))
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
