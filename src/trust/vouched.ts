// Does somebody the user trusts vouch for this tool as it stands now? The one answer for everything that only a vouched
// definition gets: its secrets (G19), a place inside the host (G14), the name in a clash (G8).
import type { Ask } from '../config/folder-asks.ts'
import type { FolderTrust } from '../config/folder-trust.ts'
import type { Spaces } from '../config/spaces.ts'
import { isInside } from '../files/is-inside.ts'
import { nearestRealPath } from '../files/real-path.ts'
import { jsonDigest } from '../tool/json.ts'
import { isMadeInCode, type Tool } from '../tool/tool.ts'
import { judgeTool } from './judge-tool.ts'
import type { Lock } from './lock/lock.ts'
import { lockName } from './lock/lock-file.ts'
import type { TrustStore } from './trust-store.ts'

/** Whose word it is: the program's, its embedder's, the user's own folder, a key, the lock, or a yes to this folder. */
export type Voucher = 'shipped' | 'made-in-code' | 'user' | 'signed' | 'pinned' | 'accepted'

export interface VouchSources {
  readonly trust: TrustStore
  readonly lock: Pick<Lock, 'pinOf' | 'digest' | 'stateOf'>
  readonly folder: FolderTrust
  /** The tools of the catalog. */
  readonly tools: Iterable<Tool>
  readonly spaces: Pick<Spaces, 'project' | 'userAi'>
}

/** Who vouches for a tool; null: nobody. A tool that was changed after it was signed has nobody. */
export function voucherOf(tool: Tool, sources: VouchSources): Voucher | null {
  if (tool.tier === 'system') return 'shipped'
  if (isMadeInCode(tool)) return 'made-in-code'
  const { status } = judgeTool(tool, sources.trust, { mode: 'warn', projectPath: sources.spaces.project })
  if (status === 'tampered') return null
  if (isUsersOwn(tool, sources.spaces)) return 'user'
  if (status === 'trusted') return 'signed'
  if (isPinned(tool, sources)) return 'pinned'
  return isAccepted(tool, sources) ? 'accepted' : null
}

/** In the user's own folder for tools. Settings, a folder's among them, name others of that tier: they say nothing. */
function isUsersOwn({ tier, source }: Tool, { project, userAi }: VouchSources['spaces']): boolean {
  if (tier !== 'user' || source.file === null) return false
  const file = nearestRealPath(source.file)
  return isInside(file, nearestRealPath(userAi)) && !isInside(file, nearestRealPath(project))
}

/** What the user accepts of one tool: exactly its definition and its files as they are. */
export function acceptanceOf(tool: Tool, lock: Pick<Lock, 'stateOf'>): Pick<Ask, 'key' | 'digest'> {
  const { server } = tool.details ?? {}
  if (tool.kind === 'server' && typeof server === 'object')
    return { key: `server ${server.name}`, digest: jsonDigest(server) }
  return { key: `tool ${tool.format}:${tool.id}`, digest: lock.stateOf(tool) }
}

/** A lock comes with a cloned folder; its pins speak for the user once the user wrote or accepted them. */
function isPinned(tool: Tool, { lock, folder }: VouchSources): boolean {
  const pin = lock.pinOf(tool)
  if (pin === null) return false
  return folder.accepts(lockName, lock.digest!) || folder.accepts(`pin ${pin.key}`, pin.digest)
}

/** The lock file as a whole counts as the user's word from now on. */
export function acceptLock({ folder, lock }: Pick<VouchSources, 'folder' | 'lock'>): void {
  if (lock.digest !== null) folder.decide([{ key: lockName, digest: lock.digest }], true)
}

/** The pin of one tool counts as the user's word from now on, whoever wrote the others. */
export function acceptPin(tool: Tool, { folder, lock }: Pick<VouchSources, 'folder' | 'lock'>): void {
  const pin = lock.pinOf(tool)
  if (pin) folder.decide([{ key: `pin ${pin.key}`, digest: pin.digest }], true)
}

function isAccepted(tool: Tool, { folder, lock, tools }: VouchSources): boolean {
  if (folder.isWhole) return true
  const { server } = tool.details ?? {}
  // A tool of a foreign server is as good as the entry of that server.
  const entry = typeof server === 'string' ? entryOf(server, tools) : tool
  if (!entry) return false
  // Of settings only what counts already has become an entry.
  if (typeof entry.details?.server === 'object' && entry.details.server.isOperators) return true
  const { key, digest } = acceptanceOf(entry, lock)
  return folder.accepts(key, digest)
}

function entryOf(server: string, tools: Iterable<Tool>): Tool | undefined {
  for (const tool of tools) {
    const spec = tool.details?.server
    if (tool.kind === 'server' && typeof spec === 'object' && spec.name === server) return tool
  }
  return undefined
}
