// Grants and needs that look like protection and are none (G26): a capability nobody knows, a pattern that fits no tool.
import type { Config } from '../config/config.ts'
import { type CapabilityFacts, grantable, grantableNames, isObserved } from '../tool/capabilities.ts'
import { coversCapability, parseGrant } from '../tool/capability.ts'
import { nearNames } from '../tool/near-names.ts'
import type { Problem } from '../tool/problem.ts'
import type { Tool } from '../tool/tool.ts'
import { namedPrograms } from './named-programs.ts'
import { scopeFault, scopeHint } from './scope-path.ts'
import { matchesTool, onlyThese } from './tool-grants.ts'

/** `rye.execute` goes on with what may be called. */
const capabilities: readonly string[] = grantableNames
const families = new Set(capabilities.map((name) => name.split('.')[0]!))

interface Settings {
  readonly config: Config
  /** Where each setting comes from: a file, or something else by name. */
  readonly origins: { readonly [key: string]: string }
}

export function grantProblems(tools: readonly Tool[], { config, origins }: Settings): Problem[] {
  const file = Object.entries(origins).find(
    ([key, from]) => key.startsWith('grants.') && from.endsWith('.yaml'),
  )?.[1]
  const { default: common, tools: given } = config.grants
  const listed = [
    common,
    ...Object.values(given).map((list) => list.filter((grant) => grant !== onlyThese)),
  ].flat()
  const unknown = [...new Set(listed)].flatMap((grant) => [
    ...unknownGrant(grant, file),
    ...uselessScope(grant, file),
  ])
  const unmatched = Object.keys(given).flatMap((pattern) => unmatchedPattern(pattern, tools, file))
  return [...unknown, ...unmatched, ...tools.flatMap(unknownNeeds)]
}

function unknownGrant(grant: string, file: string | undefined): Problem[] {
  const { capability } = parseGrant(grant)
  return isKnown(capability)
    ? []
    : [
        problem(
          'grant-unknown',
          `grants name "${capability}", which is no capability.`,
          hintFor(capability),
          file,
        ),
      ]
}

/** A scope that cannot have an effect (U3d). */
function uselessScope(grant: string, file: string | undefined): Problem[] {
  const { capability, scope } = parseGrant(grant)
  const kind = isKnown(capability) ? scopeKindOf(capability) : undefined
  if (capability === 'programs') return unknownProgram(grant, scope, file)
  if (scope === undefined || kind === 'name') return []
  const hint = kind === 'path' ? scopeHint(capability) : `Name a host, such as ${capability}:api.example.com.`
  const fault =
    kind === undefined
      ? isKnown(capability) && 'has no effect: this capability takes none'
      : kind === 'path'
        ? scopeFault(scope)
        : !/^(\*\.)?[^\s/*@?#]+(\/\d{1,3})?$/.test(scope) && 'is no host'
  if (!fault) return []
  const message = `The scope of the grant ${grant} ${fault}.`
  return [problem('grant-scope', message, kind === undefined ? `Write ${capability}.` : hint, file)]
}

function unknownProgram(grant: string, name: string | undefined, file: string | undefined): Problem[] {
  if (name !== undefined && namedPrograms.includes(name)) return []
  const hint = `Write ${namedPrograms.map((known) => `programs:${known}`).join(' or ')}.`
  return [problem('grant-scope', `The grant ${grant} names no program that is known.`, hint, file)]
}

/** What the scope of a capability, or of a pattern of several, says. */
function scopeKindOf(capability: string): 'host' | 'path' | 'name' | undefined {
  const kinds = grantableNames.flatMap((name) => {
    const facts: CapabilityFacts = grantable[name]
    return coversCapability(capability, name) && facts.scope ? [facts.scope] : []
  })
  return kinds[0]
}

function unknownNeeds(tool: Tool): Problem[] {
  if (tool.tier !== 'project' || tool.source.file === null) return []
  return (tool.requires ?? []).flatMap((need) => {
    const { capability } = parseGrant(need)
    if (isKnown(capability) || isObserved(capability)) return []
    const message = `${tool.id} requires "${capability}", which is no capability.`
    return [
      {
        ...problem('capability-unknown', message, hintFor(capability), tool.source.file ?? undefined),
        line: tool.source.line ?? 1,
        toolId: tool.id,
      },
    ]
  })
}

function unmatchedPattern(pattern: string, tools: readonly Tool[], file: string | undefined): Problem[] {
  if (tools.some((tool) => matchesTool(pattern, tool)) || isOfSilentServer(pattern, tools)) return []
  const message = `grants.tools names "${pattern}", and no tool fits it.`
  return [problem('grant-unmatched', message, hintForPattern(pattern, tools), file)]
}

/** What a pattern that fits no tool may have meant. */
export function hintForPattern(pattern: string, tools: readonly Tool[]): string {
  const near = pattern.startsWith('#')
    ? nearNames(pattern.slice(1), [...new Set(tools.flatMap(({ tags }) => tags))]).map((tag) => `#${tag}`)
    : nearNames(
        pattern,
        tools.map(({ id }) => id),
      )
  return near.length > 0 ? meant(near) : 'Name an id, a glob of ids or a #tag; see `toolcrib list --all`.'
}

/** Whether a pattern may be about tools of a server: what it offers is known once it was asked. */
export function isOfSilentServer(pattern: string, tools: readonly Tool[]): boolean {
  const wanted = pattern.replace(/^mcp[:/]/, '').toLowerCase()
  return tools.some(({ kind, details }) => {
    const server = details?.server
    if (kind !== 'server' || typeof server !== 'object') return false
    return wanted.startsWith(server.name.toLowerCase().replace(/[^a-z0-9]+/g, '-')) || wanted.startsWith('*')
  })
}

function isKnown(capability: string): boolean {
  const [family, verb] = capability.split('.')
  if (family === '*') return true
  if (!families.has(family ?? '')) return false
  return verb === undefined || /[*?]/.test(verb) || capabilities.includes(`${family}.${verb}`)
}

function hintFor(capability: string): string {
  const near = nearNames(capability, capabilities)
  return near.length > 0 ? meant(near) : `Known are ${capabilities.join(', ')}.`
}

function meant(names: readonly string[]): string {
  return `Did you mean ${names
    .slice(0, 3)
    .map((name) => `"${name}"`)
    .join(' or ')}?`
}

function problem(code: string, message: string, hint: string, file: string | undefined): Problem {
  return { code, severity: 'error', message, hint, file }
}
