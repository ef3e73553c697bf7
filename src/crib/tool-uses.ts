// What recorded runs tell of a tool: what it used, and how far back that says something (L2).
import type { AccessLog } from '../runs/access-log.ts'
import type { RunHistory } from '../runs/run-history.ts'
import { type UsedGrant, usedGrants } from '../sandbox/access/used-grants.ts'

export interface ToolUses {
  readonly used: readonly UsedGrant[]
  /** What was not used since then counts as not used; undefined: it did not run often or long enough to say. */
  readonly since: string | undefined
}

const enoughRuns = 50
const enoughDays = 30

/** Nothing where the store cannot be read, which is told elsewhere. */
export async function toolUses(
  tool: string,
  { accesses, runs }: { readonly accesses: AccessLog; readonly runs: RunHistory },
): Promise<ToolUses> {
  try {
    const used = usedGrants(await accesses.list({ tool, isDenied: false }))
    return { used, since: accesses.hasStore ? await windowOf(tool, runs) : undefined }
  } catch {
    return { used: [], since: undefined }
  }
}

/** The last 50 runs that ended well, or 30 days; what fails says little of what a tool needs. */
async function windowOf(tool: string, history: RunHistory): Promise<string | undefined> {
  const { runs } = await history.list({ limit: enoughRuns, tool, ok: true })
  const first = runs.at(-1)
  if (!first) return undefined
  if (runs.length === enoughRuns) return first.startedAt
  const monthAgo = new Date(Date.now() - enoughDays * 86_400_000).toISOString()
  return first.startedAt < monthAgo ? monthAgo : undefined
}
