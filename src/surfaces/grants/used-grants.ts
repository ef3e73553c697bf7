// What a tool has used of its rights in recorded runs, where the fence knows it: hosts, files it changed, tools it called;
// files it read and programs it started only from `learn`, which traces them.
import type { Crib } from '../../crib/crib.ts'
import type { Access } from '../../sandbox/access/access.ts'
import { byCodeUnits } from '../../tool/json.ts'
import type { Tool } from '../../tool/tool.ts'

export interface UsedGrant {
  /** As a grant would name it: `net.http:example.com:443`, `fs.write:out/a.md`. */
  readonly grant: string
  readonly count: number
  readonly lastAt: string
}

/** In code-unit order of the grants; nothing where the store cannot be read, which is told elsewhere. */
export async function usedGrants(crib: Crib, tool: Tool): Promise<UsedGrant[]> {
  const used = new Map<string, UsedGrant>()
  const accesses = await crib.accesses.list({ tool: tool.id, isDenied: false }).catch(() => [])
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
