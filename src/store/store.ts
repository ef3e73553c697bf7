// What a store must be able to do, whichever database is behind it. Every method is one transaction: after
// it resolved, what it wrote survives the death of the process; when it rejects, nothing was written.
import type { Json } from '../tool/json.ts'
import type { Principal } from '../tool/principal.ts'
import type { Clock } from './clock.ts'
import type { Crumb, CrumbDraft, CrumbEvent, DeleteReason, Visibility } from './crumb.ts'
import type { RunQuery, RunRow, SealedRun, StatsQuery, StoredRun } from './run-record.ts'
import type { RunStats } from './run-stats.ts'

/** A key that may be taken once: idempotency keys, one tick per due time, one response per request. */
export interface UniqueKey {
  readonly scope: string
  readonly key: string
  /** What was asked for under this key, to tell a repeat from a different wish. */
  readonly digest?: string
  readonly expiresMs?: number
}

export interface RequestEntry {
  /** The tool that is asked for, when the request names one. */
  readonly tool?: string
  /** Same requestId, tool, input and asker: the second within `dedupeMs` is not run. */
  readonly dedupeKey?: string
  readonly dedupeMs: number
}

export interface CreateOptions {
  readonly unique?: UniqueKey
  /** Puts the new crumb into the queue of requests, in the same transaction. */
  readonly request?: RequestEntry
}

export interface Written {
  readonly id: string
  readonly version: number
  /** False: the unique key was taken; id and version are those of the first crumb. */
  readonly isNew: boolean
  /** Digest stored with the key, when it was taken. */
  readonly digest?: string
}

/** Who may see what: the owner's crumbs and public ones; private ones only their creator and an admin. */
export interface Viewer {
  readonly owner: string
  readonly name: string
  readonly isAdmin: boolean
}

export interface ListQuery {
  /** null: no restriction, for the crib itself. */
  readonly viewer: Viewer | null
  readonly tags?: readonly string[]
  readonly schema?: string
  /** Schema patterns (`a.b`, `a.*`, `*`) of which one must match. */
  readonly schemas?: readonly string[]
  /** All words must occur. */
  readonly words?: string
  readonly limit: number
  readonly offset?: number
  /** Position after which to go on, from a former page. */
  readonly after?: number
}

export interface SearchQuery {
  readonly viewer: Viewer | null
  /** Any word may occur; ranked. */
  readonly words: string
  readonly tags?: readonly string[]
  readonly schema?: string
  readonly schemas?: readonly string[]
  readonly limit: number
}

export interface FacetCount {
  readonly value: string
  readonly count: number
}

export interface CrumbFacets {
  readonly schemas: readonly FacetCount[]
  readonly tags: readonly FacetCount[]
}

export interface CrumbTable {
  create(draft: CrumbDraft, principal: Principal, options?: CreateOptions): Promise<Written>
  get(id: string): Promise<Crumb | null>
  /** Newest update first; `next` is the position to go on from, when there is more. */
  list(query: ListQuery): Promise<{ readonly crumbs: readonly Crumb[]; readonly next?: number }>
  search(query: SearchQuery): Promise<readonly { readonly crumb: Crumb; readonly score: number }[]>
  /** The schemas and tags of all crumbs that may be seen, the most frequent first, at most 200 each. */
  facets(query: Pick<ListQuery, 'viewer' | 'schemas'>): Promise<CrumbFacets>
  /** All versions, newest first. */
  history(id: string): Promise<readonly Crumb[]>
  /** Replaces a crumb that still has `expectedVersion`; rejects with version_mismatch when it has not. */
  update(id: string, expectedVersion: number, next: CrumbDraft, principal: Principal): Promise<Written>
  /** False when there is none. */
  remove(
    id: string,
    expectedVersion: number | null,
    principal: Principal,
    reason: DeleteReason,
  ): Promise<boolean>
  /** Deletes up to `limit` expired crumbs with an event each; how many went. */
  purge(limit: number): Promise<number>
}

export interface EventQuery {
  readonly after: number
  readonly limit: number
  readonly schemas?: readonly string[]
  /** Also the changes by which a crumb ceased to be of one of these schemas: they bear its new one. */
  readonly withLeavers?: boolean
}

/** An event with what decides who may see it and until when it matters. */
export interface LoggedEvent {
  readonly seq: number
  readonly event: CrumbEvent
  readonly visibility: Visibility
  readonly expiresMs: number | null
}

/** A page of the log, and how far it reaches: nothing that was asked for lies between its last event and there. */
export interface EventPage {
  readonly events: readonly LoggedEvent[]
  readonly upTo: number
}

export interface EventLog {
  after(query: EventQuery): Promise<readonly LoggedEvent[]>
  /** As `after`, for who reads on from where a page ends: what passes by unread is not looked at again. */
  pageAfter(query: EventQuery): Promise<EventPage>
  /**
   * Nothing stands after this position, by a look that costs next to nothing; absent where there is none. What other
   * processes wrote within the last `maxAgeMs` (0) may be missed; what this one wrote never is.
   */
  endsAt?(position: number, maxAgeMs?: number): boolean
  /** The events of one living crumb, oldest first. */
  ofCrumb(id: string): Promise<readonly LoggedEvent[]>
  /** An event and all that came of it, oldest first: the chain whose root it is. */
  chain(root: string, limit: number): Promise<readonly LoggedEvent[]>
  /** Position of the newest event, 0 when there is none. */
  last(): Promise<number>
  /** Position before the oldest event a reader can still ask for. */
  horizon(): Promise<number>
  /** Forgets what is older than the retention and belongs to no living crumb. */
  trim(olderThanMs: number): Promise<number>
  /**
   * Called after every commit that wrote events, by this process or another. With schemas, commits that are known
   * to hold none of them, nor a crumb that was of one before, may be left out; the set is looked at each time.
   * Returns the unsubscriber.
   */
  onAppend(listener: () => void, schemas?: ReadonlySet<string>): () => void
}

export interface ClaimedRequest {
  readonly crumb: Crumb
  readonly event: CrumbEvent
  /** Attempts begun, this one included. */
  readonly attempts: number
  readonly firstAtMs: number
}

/** How often a tool may run at once, all nodes together; tools that are not named have no limit. */
export type ToolLimits = { readonly [tool: string]: number }

/** What came of asking for one request by its id. */
export type Taken =
  | { readonly state: 'claimed'; readonly claimed: ClaimedRequest }
  /** Answered, a duplicate, or deleted: nothing is left to do. */
  | { readonly state: 'done' }
  /** Another node has it, its time has not come, or its tool is busy everywhere. */
  | { readonly state: 'later'; readonly atMs: number }
  /** There never was such a request. */
  | { readonly state: 'unknown' }

export interface RequestQueue {
  /** Takes the oldest request that is due and free (or whose lease ran out). */
  claim(node: string, leaseMs: number, limits?: ToolLimits): Promise<ClaimedRequest | null>
  /** Takes one request, as `claim` would. */
  take(id: string, node: string, leaseMs: number, limits?: ToolLimits): Promise<Taken>
  /** Extends claims of this node: all of them, or those of the named requests. */
  renew(node: string, leaseMs: number, ids?: readonly string[]): Promise<void>
  /** Gives a claimed request back, to be taken again from `notBeforeMs` on. */
  release(id: string, node: string, notBeforeMs: number): Promise<void>
  /**
   * Ends a claim and writes what it came to, in one transaction. False, and nothing written, when the claim
   * is no longer this node's or the request has its response already.
   */
  finish(
    id: string,
    node: string,
    response: CrumbDraft,
    also: readonly CrumbDraft[],
    principal: Principal,
  ): Promise<boolean>
  /** The id of the response that ended a request; null while it has none. Nobody else's breadcrumb is one. */
  responseTo(id: string): Promise<string | null>
  /** When the next waiting or leased request can be claimed, in milliseconds since 1970. */
  nextDueMs(): Promise<number | null>
  counts(): Promise<{ readonly waiting: number; readonly claimed: number; readonly done: number }>
}

export interface Lease {
  readonly name: string
  readonly node: string
  readonly untilMs: number
}

export interface LeaseTable {
  /** Takes or renews a lease; false when another node holds it. */
  acquire(name: string, node: string, leaseMs: number): Promise<boolean>
  release(name: string, node: string): Promise<void>
  list(): Promise<readonly Lease[]>
  /** Frees leases and request claims of nodes that are known to be dead. */
  bury(isDead: (node: string) => boolean): Promise<number>
}

/** Calls of tools that have a limit over all nodes, beside the requests of the queue, whose claims count too. */
export interface PlaceTable {
  /** False when `most` calls of the tool run already. */
  take(
    id: string,
    place: {
      readonly tool: string
      readonly node: string
      readonly leaseMs: number
      readonly most: number
    },
  ): Promise<boolean>
  /** Extends all places of this node. */
  renew(node: string, leaseMs: number): Promise<void>
  release(id: string): Promise<void>
}

export interface Cursor {
  readonly position: number
  /** Event being worked on and how often it was begun; 0 when none. */
  readonly working: number
  readonly attempts: number
  readonly note: Json
}

export interface CursorTable {
  get(name: string): Promise<Cursor | null>
  /** With a holder: false, and nothing written, when that node no longer holds the lease of the same name. */
  set(name: string, cursor: Cursor, holder?: string): Promise<boolean>
}

/** A process that serves the crib. */
export interface NodeRow {
  readonly node: string
  /** What people call it; the host's name unless configured. */
  readonly name: string
  readonly pid: number
  readonly version: string
  /** Where it serves, when it does. */
  readonly url: string | null
  readonly startedMs: number
  readonly seenMs: number
  /** Requests it runs now, and how many it would at most. */
  readonly running: number
  readonly capacity: number
  readonly isDraining: boolean
}

export interface NodeTable {
  /** Says that a node is alive; forgets those that were silent for long. */
  beat(row: Omit<NodeRow, 'seenMs'>): Promise<void>
  remove(node: string): Promise<void>
  list(): Promise<readonly NodeRow[]>
}

export interface SecretRow {
  readonly id: string
  readonly owner: string
  readonly name: string
  readonly scopeType: string
  readonly scopeId: string
  /** Nonce, tag and ciphertext, base64. */
  readonly sealed: string
  readonly createdAt: string
  readonly updatedAt: string
}

export interface SecretTable {
  /** Rejects with 409 when name and scope are taken. */
  insert(row: SecretRow): Promise<void>
  update(id: string, sealed: string, updatedAt: string): Promise<boolean>
  remove(id: string): Promise<boolean>
  get(id: string): Promise<SecretRow | null>
  list(owner: string): Promise<readonly SecretRow[]>
}

export interface RunTable {
  /** Appends to the chain, in order. */
  append(rows: readonly RunRow[]): Promise<void>
  list(query: RunQuery): Promise<readonly SealedRun[]>
  /** Figures of all records that match, however many there are. */
  stats(query: StatsQuery): Promise<RunStats>
  /** The newest record of a run. */
  get(runId: string): Promise<SealedRun | null>
  /** Ids of runs that begin like this, calls inside them left out; a few are enough to see that it is not the only one. */
  idsFrom(beginning: string, limit: number): Promise<readonly string[]>
  /** Records from `from` on, oldest first, for verifying. */
  read(from: number, limit: number): Promise<readonly StoredRun[]>
  /** How many records there must be, and the hash of the last. */
  head(): Promise<{ readonly count: number; readonly hash: string }>
  /** Position and hash of the last record that was removed; the chain goes on from there. Position 0: none was. */
  base(): Promise<{ readonly count: number; readonly hash: string }>
  /** Removes the oldest records that began before `before` (RFC 3339 in UTC); how many went. */
  trim(before: string): Promise<number>
}

export interface SeedRow {
  /** Path of the file, relative to its root. */
  readonly file: string
  readonly crumb: string
  /** Version the seeding wrote; a higher one means that somebody edited it. */
  readonly version: number
  readonly digest: string
}

export interface SeedTable {
  list(): Promise<readonly SeedRow[]>
  set(row: SeedRow): Promise<void>
  remove(file: string): Promise<void>
}

/** What a tool reached for, all its runs together. */
export interface AccessRow {
  readonly tool: string
  readonly kind: string
  readonly what: string
  readonly isDenied: boolean
  /** The address that a name led to; '' where there is none. */
  readonly address: string
  readonly count: number
  readonly lastMs: number
}

export interface AccessTable {
  /** Adds to the counts; `lastMs` of a row is when it was noted. What was not seen for 90 days is forgotten. */
  add(rows: readonly AccessRow[]): Promise<void>
  /** Latest first; `tool` and `isDenied` narrow it. */
  list(query?: { readonly tool?: string; readonly isDenied?: boolean }): Promise<readonly AccessRow[]>
  /** Forgets the denials of a tool, which somebody settled. */
  settle(tool: string): Promise<void>
}

export interface CrumbStore {
  readonly kind: 'sqlite' | 'postgres'
  /** Time as all nodes of the store agree on it. */
  readonly clock: Clock
  /** How long leases and claims last, and how often they are renewed. */
  readonly lease: { readonly ms: number; readonly renewMs: number }
  readonly crumbs: CrumbTable
  readonly events: EventLog
  readonly requests: RequestQueue
  readonly leases: LeaseTable
  readonly places: PlaceTable
  readonly cursors: CursorTable
  readonly secrets: SecretTable
  readonly runs: RunTable
  readonly accesses: AccessTable
  readonly seeds: SeedTable
  readonly nodes: NodeTable
  /** Rejects when the store cannot be used now. */
  check(): Promise<void>
  close(): Promise<void>
}
