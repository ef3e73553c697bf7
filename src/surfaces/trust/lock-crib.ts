// The lock of a crib as its surfaces use it: pin everything, see what differs, accept a difference.
import type { Crib } from '../../crib/crib.ts'
import { specOf } from '../../formats/mcp/server-tool.ts'
import type { DiscoverOptions } from '../../runtimes/mcp/foreign-tools.ts'
import type { Tool } from '../../tool/tool.ts'
import { ToolError } from '../../tool/tool-error.ts'
import type { DriftEntry, LockReport, Offer } from '../../trust/lock/lock.ts'

export interface Locked {
  readonly pinned: number
  /** What the new lock file accepts that the old one did not. */
  readonly accepted: readonly DriftEntry[]
  /** Tools that cannot be pinned: they are invalid, or were changed after they were signed. */
  readonly left: readonly string[]
}

/** Pins every tool as it is now, those of foreign servers too. */
export async function lockCrib(
  crib: Crib,
  options: { readonly programs: boolean } & Pick<DiscoverOptions, 'onWaiting'>,
): Promise<Locked> {
  const { programs, ...asking } = options
  await crib.discover({ ...asking, refresh: true, isPatient: true })
  const accepted = crib.lock.report().drifted
  const { pinned, left } = crib.lock.pinAll({ programs, keepServers: silentServers(crib) })
  crib.catalog.markAgain()
  return { pinned, accepted, left }
}

/** How the crib stands against its lock file, as foreign servers describe their tools now; with tools given, only those. */
export async function driftOfCrib(
  crib: Crib,
  refs: readonly string[] = [],
  asking: Pick<DiscoverOptions, 'onWaiting'> = {},
): Promise<LockReport> {
  const tools = await Promise.all(refs.map((ref) => crib.resolve(ref)))
  await askAnew(crib, tools, asking)
  if (crib.lock.isOutdated) crib.catalog.markAgain()
  const report = crib.lock.report()
  if (refs.length === 0) return report
  const ids = new Set(tools.map((tool) => tool.id))
  return {
    ...report,
    drifted: report.drifted.filter((entry) => ids.has(entry.tool)),
    unpinned: report.unpinned.filter((key) => ids.has(key.slice(key.indexOf(':') + 1))),
    gone: [],
  }
}

/** Has the servers of these tools, or all of them, describe their tools once more. */
async function askAnew(
  crib: Crib,
  tools: readonly Tool[],
  asking: Pick<DiscoverOptions, 'onWaiting'>,
): Promise<void> {
  if (!crib.lock.isActive || tools.length === 0)
    return crib.discover({ ...asking, refresh: crib.lock.isActive })
  const servers = new Set(
    tools.flatMap(({ details }) => {
      const server = details?.server
      return typeof server === 'string' ? [server] : server ? [server.name] : []
    }),
  )
  for (const server of servers) await crib.discover({ ...asking, server, refresh: true })
}

/** What approving a tool would accept, as it is now; CONFLICT when it does not differ. */
export async function approvalOf(crib: Crib, ref: string): Promise<{ tool: Tool; offer: Offer }> {
  await driftOfCrib(crib, [ref])
  const tool = await crib.resolve(ref)
  const offer = crib.lock.offer(tool)
  if (offer.entries.length === 0)
    throw new ToolError('CONFLICT', `${tool.id} is what was approved; there is nothing to accept.`, {
      hint: 'See `toolcrib diff` for what differs.',
    })
  return { tool, offer }
}

/** Accepts a tool as it was offered, or as it is now. */
export function approveTool(crib: Crib, tool: Tool, offer?: Offer): readonly DriftEntry[] {
  const accepted = crib.lock.approve(tool, offer)
  crib.catalog.markAgain()
  return accepted
}

/** Names of servers that did not answer: what they offered stays pinned. */
function silentServers(crib: Crib): string[] {
  return crib.catalog.tools.flatMap((tool) => {
    const spec = specOf(tool)
    return spec && tool.state !== 'available' ? [spec.name] : []
  })
}
