// The words and small facts of drift: what a lock file said when it was read, and why a tool must not run.
import { readFileSync } from 'node:fs'
import { sha256 } from '../../tool/json.ts'
import type { Tool } from '../../tool/tool.ts'
import { messageOf } from '../../tool/tool-error.ts'
import type { Difference } from './differences.ts'
import { lockName, type Pin, type Pins, parseLock } from './lock-file.ts'

/** Why a tool must not run. */
export interface Drift {
  readonly reason: string
  readonly differences: readonly Difference[]
}

export interface LoadedLock {
  readonly stamp: string
  /** null: there is none. */
  readonly pins: Pins | null
  readonly digest: string
  readonly fault: string | null
}

export const restoreHint =
  'Restore it from version control, or accept every tool as it is now: delete it and run `toolcrib lock`.'

export function readLock(file: string, stamp: string): LoadedLock {
  if (stamp === '-') return { stamp, pins: null, digest: '', fault: null }
  try {
    const text = readFileSync(file, 'utf8')
    return { stamp, pins: parseLock(text), digest: sha256(text), fault: null }
  } catch (error) {
    return { stamp, pins: null, digest: stamp, fault: messageOf(error) }
  }
}

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
