// What the Deno runtime asks of the breadcrumb store on behalf of a run. The runtime checks every right before
// it calls (C51, C52); an implementation only does what it is told, as the owner of the session.
import type { Json, JsonObject } from '../../tool/json.ts'
import type { Tool } from '../../tool/tool.ts'

/** One run that is about to start. */
export interface BrokerRun {
  readonly tool: Tool
  readonly params: unknown
  readonly runId: string
  /** The kernel's call: its options carry trigger and caller. */
  readonly call: object
}

/** `context.request` of the tool (C53), without the alias `request_id`. */
export interface RunRequest {
  readonly id: string
  readonly workspace: string
  readonly agentId: string
  readonly trigger_event: JsonObject
}

/** A crumb as the store keeps it; more fields than these may be present. */
export interface StoredCrumb {
  readonly id: string
  readonly version: number
  readonly schema_name?: string | null
  readonly context: Json
  readonly [field: string]: Json | undefined
}

export interface CrumbVersion {
  readonly id: string
  readonly version: number
}

export interface CrumbSearch {
  readonly schema_name?: string
  /** All of them must be present. */
  readonly tags?: readonly string[]
  readonly q?: string
  readonly limit?: number
  readonly offset?: number
  /** Schema names, `prefix.*` or `*` that may be returned (`coversName`); applied before `limit`. */
  readonly readable: readonly string[]
}

export interface CrumbRanking {
  readonly q: string
  readonly nn: number
  readonly schema_name?: string
  readonly tags?: readonly string[]
  readonly readable: readonly string[]
}

export interface SecretName {
  readonly id: string
  readonly name: string
}

/**
 * The store as one run sees it: only its owner's crumbs, written with the run's causation. Methods throw
 * ToolErrors.
 */
export interface BrokerSession {
  readonly owner: string
  readonly workspace: string
  readonly request: RunRequest
  /** `ui_schema` defaults overlaid by the tool's saved configuration (C54). */
  readonly config: JsonObject
  /** The whole crumb; undefined when there is none or it is not visible. */
  get(id: string): Promise<StoredCrumb | undefined>
  /** The same crumb with its `llm_hints` applied, as `GET /breadcrumbs/{id}` shows it. */
  view(id: string): Promise<JsonObject | undefined>
  create(body: JsonObject, options: { readonly idempotencyKey?: string }): Promise<CrumbVersion>
  /** A stale `version` is VERSION_MISMATCH; undefined means last write wins. */
  update(id: string, version: number | undefined, updates: JsonObject): Promise<CrumbVersion>
  remove(id: string, version: number | undefined): Promise<void>
  /** Items with raw `context`, newest update first. */
  search(query: CrumbSearch): Promise<readonly JsonObject[]>
  /** Items with `context` and `score`, best first. */
  rank(query: CrumbRanking): Promise<readonly JsonObject[]>
  /** Names a secret by id or name without reading it. */
  findSecret(idOrName: string): Promise<SecretName | undefined>
  /** Reads a secret; the implementation audits it with the reason. */
  readSecret(id: string, reason: string): Promise<string>
  /** Audits that a secret the run already holds was asked for. */
  noteSecret(name: string, reason: string): void
  /** The run is over; nothing is asked any more. */
  close?(): void
}

export interface Broker {
  /** A session, or a promise of it where the store must be asked. Throws or rejects with ToolError (CONFIG_INVALID …) when the run must not start. */
  open(run: BrokerRun): BrokerSession | Promise<BrokerSession>
}
