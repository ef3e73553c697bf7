// The nouns of the server, taken from its own source as types, and the few answers that have no name there.
import type { LayerStatus } from '../../../src/sandbox/fence.ts'

export type { PendingApproval } from '../../../src/guards/approvals.ts'
export type { RunDetail, RunSummary } from '../../../src/kernel/run-history.ts'
export type { Profile } from '../../../src/sandbox/profile.ts'
export type { ToolDescription } from '../../../src/surfaces/describe-tool.ts'
export type { CatalogRow, CatalogRows, ExpectedFence } from '../../../src/surfaces/http/console-rows.ts'
export type { OnionLayer } from '../../../src/surfaces/http/tool-onion.ts'
export type { SourceFile } from '../../../src/surfaces/http/tool-source.ts'
export type { Enforcement, LogLine, Outcome, Progress, Span } from '../../../src/tool/outcome.ts'
export type { Problem } from '../../../src/tool/problem.ts'
export type { ChainLink, Example, JsonSchema, Tool } from '../../../src/tool/tool.ts'

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
