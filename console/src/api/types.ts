// The nouns of the server, taken from its own source as types; answers that are part of the public contract are
// written down here as the contract has them.
import type { RunSummary } from '../../../src/runs/run-history.ts'
import type { LayerStatus } from '../../../src/sandbox/fence.ts'
import type { Profile } from '../../../src/sandbox/profile.ts'
import type { Json } from '../../../src/tool/json.ts'
import type { LogLine, Outcome, Span } from '../../../src/tool/outcome.ts'
import type { ChainLink, Tool } from '../../../src/tool/tool.ts'

export type { FleetNode, FleetReport } from '../../../src/fleet/fleet-report.ts'
export type { Profile } from '../../../src/sandbox/profile.ts'
export type {
  CatalogRow,
  CatalogRows,
  ExpectedFence,
  OnionLayer,
  SourceFile,
} from '../../../src/surfaces/http/console-types.ts'
export type { Enforcement, LogLine, Outcome, Progress, Span } from '../../../src/tool/outcome.ts'
export type { Problem } from '../../../src/tool/problem.ts'
export type { Example, JsonSchema, Tool } from '../../../src/tool/tool.ts'

/** GET /api/tools/{id} */
export interface ToolDescription {
  readonly tool: Tool
  readonly chain: readonly Pick<ChainLink, 'id' | 'tier' | 'kind' | 'digest' | 'trust'>[]
  readonly grants: readonly string[]
  readonly profile: Profile
}

/** One of GET /api/runs */
export type { RunSummary } from '../../../src/runs/run-history.ts'

/** GET /api/runs/{id} */
export interface RunDetail extends RunSummary {
  /** As recorded: their shape, or the values when `audit.params` is `full`. */
  readonly params: Json
  readonly outcome?: Outcome
  readonly logs: readonly LogLine[]
  readonly spans: readonly Span[]
}

/** One of GET /api/approvals */
export interface PendingApproval {
  readonly id: string
  readonly runId: string
  readonly tool: string
  readonly params: unknown
  readonly caller: string
  readonly requestedAt: string
  readonly expiresAt: string
}

/** GET /api/console/info */
export interface Info {
  readonly version: string
  readonly name: string
  readonly isAdmin: boolean
  readonly trust: string
  readonly sandbox: string
  /** Whether runs are recorded with their parameters, so that they can be replayed. */
  readonly recordsParams: boolean
  readonly root?: string
  readonly layers?: readonly LayerStatus[]
}

/** One of GET /breadcrumbs */
export interface CrumbItem {
  readonly id: string
  readonly title: string
  readonly description?: string
  readonly tags: readonly string[]
  readonly schema_name?: string
  readonly version: number
  readonly updated_at: string
}

/** GET /breadcrumbs/{id}/full */
export interface FullCrumb extends CrumbItem {
  readonly context: Json
  readonly visibility: string
  readonly sensitivity: string
  readonly created_at: string
  readonly created_by: string
  readonly updated_by: string
  readonly ttl?: string
  readonly checksum: string
  readonly size_bytes: number
}

/** One of GET /breadcrumbs/{id}/history, newest first */
export interface CrumbVersion {
  readonly version: number
  readonly title: string
  readonly tags: readonly string[]
  readonly context: Json
  readonly updated_at: string
  readonly updated_by: string
}

/** One of GET /events/stream */
export interface CrumbEvent {
  readonly id: string
  readonly type: 'breadcrumb.created' | 'breadcrumb.updated' | 'breadcrumb.deleted' | 'stream.reset'
  readonly breadcrumb_id: string
  readonly version: number
  readonly tags: readonly string[]
  readonly schema_name?: string
  readonly title: string
  readonly updated_at: string
}
