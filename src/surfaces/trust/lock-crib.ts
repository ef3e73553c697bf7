// The lock of a crib as its surfaces use it: pin everything, see what differs, accept a difference.
import { resolve } from 'node:path'
import type { Crib } from '../../crib/crib.ts'
import { specOf } from '../../formats/mcp/server-tool.ts'
import type { DiscoverOptions } from '../../runtimes/mcp/foreign-tools.ts'
import { jsonDigest } from '../../tool/json.ts'
import { planOf } from '../../tool/plans/runtime-plans.ts'
import type { Tool } from '../../tool/tool.ts'
import { ToolError } from '../../tool/tool-error.ts'
import type { DriftEntry, LockReport, Offer } from '../../trust/lock/lock.ts'
import { lockName } from '../../trust/lock/lock-file.ts'
import { isPinnable } from '../../trust/lock/tool-keys.ts'
import type { Aside } from '../../trust/set-aside.ts'
import { acceptLock, acceptPin } from '../../trust/vouched.ts'
import { withFileDiff } from './file-diff.ts'

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
  await crib.inference()
  await crib.discover({ ...asking, refresh: true, isPatient: true })
  const accepted = crib.lock.report().drifted
  const { pinned, left } = crib.lock.pinAll({ programs, keepServers: silentServers(crib) })
  crib.catalog.markAgain()
  acceptLock(crib)
  return { pinned, accepted, left }
}

/** How the crib stands against its lock file, as foreign servers describe their tools now; with tools given, only those. */
export async function driftOfCrib(
  crib: Crib,
  refs: readonly string[] = [],
  asking: Pick<DiscoverOptions, 'onWaiting'> = {},
): Promise<LockReport> {
  const tools = await Promise.all(refs.map((ref) => crib.resolve(ref)))
  await crib.inference()
  await askAnew(crib, tools, asking)
  if (crib.lock.isOutdated) crib.catalog.markAgain()
  const found = crib.lock.report()
  const report = { ...found, drifted: found.drifted.map((entry) => withFileDiff(entry, crib)) }
  if (refs.length === 0) return report
  const ids = new Set(tools.flatMap((tool) => withItsTools(crib, tool)).map(({ id }) => id))
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

interface Offered {
  readonly tool: Tool
  readonly offer: Offer
}

/** What approving a tool would accept, as it is now; of a server its tools too. */
async function offersOf(crib: Crib, ref: string): Promise<{ what: string; offers: readonly Offered[] }> {
  await driftOfCrib(crib, [ref])
  const named = await crib.resolve(ref)
  const offers = withItsTools(crib, named).flatMap((tool) => {
    const plain = crib.lock.offer(tool)
    const entries = plain.entries.map((entry) => withFileDiff(entry, crib))
    return entries.length > 0 ? [{ tool, offer: { ...plain, entries } }] : []
  })
  return { what: named.id, offers }
}

/** A tool; of a foreign server also the tools it offers. */
function withItsTools(crib: Crib, tool: Tool): Tool[] {
  const server = specOf(tool)?.name
  return server === undefined ? [tool] : [tool, ...toolsOfServer(crib, server)]
}

/** The tools that a foreign server offers here. */
export function toolsOfServer(crib: Crib, server: string): Tool[] {
  return crib.list({ all: true }).filter((tool) => planOf(tool, 'mcp')?.server.name === server)
}

/** Something to be looked at and then accepted as exactly that. */
export interface Approval {
  /** The tool, or the file that is part of none. */
  readonly what: string
  readonly entries: readonly DriftEntry[]
  /** Of all that would be accepted: the same digest later means that what was looked at is what is accepted. */
  readonly digest: string
  /** Gives what was accepted. */
  accept(): Promise<readonly DriftEntry[]>
}

/** What waits to be accepted. CONFLICT when nothing does, or no longer as it was seen. */
export async function approvalOf(crib: Crib, ref: string, seen?: string): Promise<Approval> {
  const found = await offeredOf(crib, ref)
  if (found.entries.length === 0)
    throw new ToolError('CONFLICT', `${found.what} is what was approved; there is nothing to accept.`, {
      hint: 'See `toolcrib diff` for what differs.',
    })
  if (seen === undefined || seen === found.digest) return found
  throw new ToolError('CONFLICT', `${found.what} changed since the difference was shown.`, {
    hint: 'Look at the difference again, then accept.',
  })
}

/** What approving a tool or a file would accept: what another tool wrote of it (G7), else how it differs from its pin. */
async function offeredOf(crib: Crib, ref: string): Promise<Approval> {
  const written = await writtenOf(crib, ref)
  if (written.found.length === 0) {
    const { what, offers } = await offersOf(crib, ref)
    const accept = async () => offers.flatMap(({ tool, offer }) => approveTool(crib, tool, offer))
    const entries = offers.flatMap(({ offer }) => offer.entries)
    return { what, entries, digest: digestOf(offers.map(({ offer }) => offer)), accept }
  }
  const entries = written.found.map((aside) => withFileDiff(writtenEntry(written.what, aside), crib))
  return {
    what: written.what,
    entries,
    digest: digestOf(entries),
    async accept() {
      crib.setAside.accept(written.found)
      await crib.reload()
      const tool = crib.catalog.tools.find(({ id }) => id === written.what)
      const isPinned = tool !== undefined && crib.lock.digest !== null && isPinnable(tool)
      if (isPinned && crib.lock.offer(tool).entries.length > 0) approveTool(crib, tool)
      return entries
    },
  }
}

const digestOf = (all: readonly object[]) => jsonDigest(JSON.parse(JSON.stringify(all)))

/** By the name of a tool, or by a path: a file of settings belongs to no tool. */
async function writtenOf(crib: Crib, ref: string): Promise<{ what: string; found: Aside[] }> {
  const found = crib.setAside.isEmpty ? [] : crib.setAside.allOf([resolve(crib.root, ref), resolve(ref)])
  const [tool] = found.flatMap(({ record }) => crib.catalog.inFile(resolve(crib.root, record.path)))
  if (found.length > 0 && !tool) return { what: ref, found }
  const named = tool ?? (await crib.resolve(ref))
  return { what: named.id, found: crib.setAside.allOfTool(named) }
}

function writtenEntry(tool: string, { record, content }: Aside): DriftEntry {
  const what = `${record.path} was written by ${record.tool} in run ${record.run}`
  return { tool, field: `file ${record.path}`, before: null, after: content, risk: 'high', what }
}

/** Accepts a tool as it was offered, or as it is now. */
export function approveTool(crib: Crib, tool: Tool, offer?: Offer): readonly DriftEntry[] {
  const { digest } = crib.lock
  const isUsers = digest !== null && crib.folder.accepts(lockName, digest)
  const accepted = crib.lock.approve(tool, offer)
  crib.catalog.markAgain()
  if (isUsers) acceptLock(crib)
  else acceptPin(tool, crib)
  return accepted
}

/** Names of servers that did not answer: what they offered stays pinned. */
function silentServers(crib: Crib): string[] {
  return crib.catalog.tools.flatMap((tool) => {
    const spec = specOf(tool)
    return spec && tool.state !== 'available' ? [spec.name] : []
  })
}
