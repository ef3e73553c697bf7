// What a tool has used of its rights, as grants name it. The fence knows hosts, files that were changed and tools that
// were called; files that were read and programs are known from `learn`, which traces them.
import { byCodeUnits } from '../../tool/json.ts'
import type { Access } from './access.ts'

export interface UsedGrant {
  /** As a grant would name it: `net.http:example.com:443`, `fs.write:out/a.md`. */
  readonly grant: string
  readonly count: number
  readonly lastAt: string
}

/** One thing as the store keeps it. */
interface KeptAccess {
  readonly kind: string
  readonly what: string
  readonly count: number
  readonly lastMs: number
}

/** In code-unit order of the grants. */
export function usedGrants(accesses: readonly KeptAccess[]): UsedGrant[] {
  const used = new Map<string, UsedGrant>()
  for (const { kind, what, count, lastMs } of accesses) {
    const grant = asGrant(kind as Access['kind'], what)
    const lastAt = new Date(lastMs).toISOString()
    const known = used.get(grant)
    used.set(grant, {
      grant,
      count: (known?.count ?? 0) + count,
      lastAt: known && known.lastAt > lastAt ? known.lastAt : lastAt,
    })
  }
  return [...used.values()].sort((one, other) => byCodeUnits(one.grant, other.grant))
}

function asGrant(kind: Access['kind'], what: string): string {
  switch (kind) {
    case 'host':
      return `net.http:${what}`
    case 'read':
    case 'list':
      return `fs.read:${what}`
    case 'write':
    case 'make':
      return `fs.write:${what}`
    case 'program':
      return 'shell.execute'
    case 'call':
      return `rye.execute.tool.${what.replaceAll('/', '.')}`
    default:
      return what
  }
}
