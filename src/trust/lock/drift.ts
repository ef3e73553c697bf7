// Why a tool must not run as far as the lock goes, in words.
import type { Problem } from '../../tool/problem.ts'
import type { Tool } from '../../tool/tool.ts'
import type { Difference } from './differences.ts'
import { lockName, type Pin, type Pins } from './lock-file.ts'

/** Why a tool must not run. */
export interface Drift {
  readonly reason: string
  readonly differences: readonly Difference[]
}

export const restoreHint =
  'Restore it from version control, or accept every tool as it is now: delete it and run `toolcrib lock`.'

export function unreadable(fault: string): Drift {
  return {
    reason: `${lockName} cannot be used, so nothing can be compared with it: ${fault}`,
    differences: [],
  }
}

export function driftFrom(found: readonly Difference[]): Drift {
  const shown = found.slice(0, 3).map((difference) => difference.what)
  const more = found.length > shown.length ? `, and ${found.length - shown.length} more` : ''
  return { reason: `it changed since it was approved: ${shown.join(', ')}${more}`, differences: found }
}

/** Which pinned tool each id and alias belonged to. */
export function ownersOf(pins: Pins | null): Map<string, string> {
  const owners = new Map<string, string>()
  for (const [key, pin] of pins ?? []) {
    if (key.includes('@')) continue
    const aliases = Array.isArray(pin.tool['aliases']) ? pin.tool['aliases'] : []
    for (const name of [key.slice(key.indexOf(':') + 1), ...aliases])
      if (typeof name === 'string' && !owners.has(name)) owners.set(name, key)
  }
  return owners
}

export function serverOf(pin: Pin): string | undefined {
  const facts = pin.tool['facts'] as { readonly server?: unknown } | undefined
  return typeof facts?.server === 'string' ? facts.server : undefined
}

/** An action of a tool is the tool. */
export function keyText(tool: Tool): string {
  return `${tool.format}\n${tool.id.split('#', 1)[0]}\n${tool.source.file ?? ''}`
}

/** A tool that must not run, listed with the reason. `isFault`: the lock file itself cannot be used. */
export function keptApart(tool: Tool, drift: Drift, isFault: boolean): Tool {
  const isPinned = drift.differences.length > 0
  const problem: Problem = {
    code: isPinned ? 'drift' : isFault ? 'lock-invalid' : 'not-pinned',
    severity: 'error',
    message: `${tool.id}: ${drift.reason}.`,
    hint: isPinned
      ? `See \`toolcrib diff ${tool.id}\`, then \`toolcrib approve ${tool.id}\`.`
      : isFault
        ? restoreHint
        : `Pin it with \`toolcrib approve ${tool.id}\` or \`toolcrib lock\`.`,
    ...(tool.source.file ? { file: tool.source.file, line: tool.source.line ?? 1 } : {}),
    toolId: tool.id,
  }
  const isFree = tool.state === 'available' || tool.state === 'unavailable'
  return {
    ...tool,
    ...(isFree ? { state: 'quarantined' as const, reason: drift.reason } : {}),
    problems: [...tool.problems, problem],
  }
}
