// One record of the audit chain: a run, or a decision about one. Its hash covers the record and the hash
// before it, so that a changed, missing or moved record breaks the chain from there on.

import { type Json, sha256 } from '../tool/json.ts'
import type { Cost, Effects, Enforcement } from '../tool/outcome.ts'

/** What set a run going, when it was an event and not a caller. */
export interface RunTrigger {
  readonly schema: string
  /** Position of the event in the feed. */
  readonly event?: string
  /** The breadcrumb the event is about. */
  readonly crumb?: string
}

export type RunKind = 'run' | 'allow' | 'deny' | 'secret'

/** What is recorded; arguments as the configuration wants them, secrets never. */
export interface RunEntry {
  readonly kind: RunKind
  readonly runId: string
  readonly tool: string
  readonly format?: string
  /** The version the tool states, and the digest of its definition. */
  readonly toolVersion?: string
  readonly toolDigest?: string
  /** Name of the caller: person, token, agent or tool. */
  readonly caller: string
  readonly surface: string
  /** The person, token or agent behind a call that a tool made. */
  readonly user?: string
  /** RFC 3339. */
  readonly startedAt: string
  readonly ms?: number
  readonly ok?: boolean
  readonly errorCode?: string
  readonly cost?: Cost
  readonly enforcement?: Enforcement
  /** What it did to the files; the whole list is with its change set. */
  readonly effects?: Effects
  /** As recorded: a shape, or the values when `audit.params` is `full`. */
  readonly params?: Json
  /** True when `params` are the values and not their shape. */
  readonly isInFull?: boolean
  readonly outcome?: Json
  readonly logs?: Json
  /** Facts of the runtime. */
  readonly meta?: { readonly [key: string]: Json }
  readonly spans?: Json
  /** Run this one was called from. */
  readonly parent?: string
  /** The event that triggered it: its position in the feed, its crumb, and what it was. */
  readonly trigger?: RunTrigger
  /** Why, for a decision or the release of a secret. */
  readonly reason?: string
  /** The entry of the chain where a call that failed had come to. */
  readonly stoppedAt?: string
  /** A check said no: the tool never began. */
  readonly isRefused?: boolean
}

/** A record in its place in the chain. */
export interface SealedRun extends RunEntry {
  /** Position, from 1, without gaps. */
  readonly seq: number
  readonly previous: string
  readonly hash: string
}

/** A record as it lies in the store, with the columns it is found by. */
export interface StoredRun {
  readonly seq: number
  readonly body: string
  readonly hash: string
  readonly runId: string
  readonly kind: string
  readonly tool: string
  readonly caller: string
  readonly ok: boolean | null
}

/** Which records are meant; all that is said must hold. */
export interface RunFilter {
  readonly kinds?: readonly RunKind[]
  readonly tool?: string
  readonly caller?: string
  readonly ok?: boolean
  /** Code of the error. */
  readonly error?: string
  readonly surface?: string
  /** One of these surfaces. */
  readonly surfaces?: readonly string[]
  /** Took at least this long. */
  readonly minMs?: number
  /** A run and everything that was called from it. */
  readonly root?: string
  /** Only runs that no other run called. */
  readonly isTop?: boolean
  /** Schema of the event that set it going. */
  readonly trigger?: string
  /** Text in the tool, the caller, the id or the error, whatever its case. */
  readonly q?: string
  /** RFC 3339 in UTC: only what began then or later. */
  readonly since?: string
  /** RFC 3339 in UTC: only what began before. */
  readonly until?: string
}

export interface RunQuery extends RunFilter {
  readonly limit: number
  /** Only records before this position. */
  readonly before?: number
}

export type StatsKey = 'tool' | 'caller' | 'error' | 'surface'

export interface StatsQuery extends RunFilter {
  readonly since: string
  readonly until: string
  /** Seconds of one step of the time line; absent: no time line. */
  readonly bucketSeconds?: number
  /** What to group by; absent: no groups. */
  readonly by?: StatsKey
  /** With steps and groups: how many ran in each step, by group. */
  readonly withCourse?: boolean
}

/** What the first record has as its predecessor. */
export const chainStart = '0'.repeat(64)

/** The hash of a record at a position of the chain. */
export function runHash(previous: string, seq: number, body: string): string {
  return sha256(`${previous}\n${seq}\n${body}`)
}

/** A record as it is handed to a store: the columns it is found by, then the text that is stored and hashed. */
export type RunRow = readonly [
  runId: string,
  kind: RunKind,
  tool: string,
  caller: string,
  ok: number | null,
  body: string,
]

export function rowOf(entry: RunEntry): RunRow {
  const ok = entry.ok === undefined ? null : Number(entry.ok)
  return [entry.runId, entry.kind, entry.tool, entry.caller, ok, JSON.stringify(entry)]
}
