// What the server answers, as types: taken from the shapes its routes declare, never written down again.
import type {
  automationShape,
  causationGraphShape,
  scheduleStatusShape,
  startedToolShape,
  subscriptionStatusShape,
} from '../../../src/automation/automation-shapes.ts'
import type { threadShape, wiringShape } from '../../../src/automation/thread-shapes.ts'
import type { approvalShape } from '../../../src/guards/approval-shape.ts'
import type { guardShape, runDetailShape, runShape, runStatsShape } from '../../../src/runs/run-shape.ts'
import type { profileShape } from '../../../src/sandbox/profile-shape.ts'
import type { secretShape } from '../../../src/secrets/secret-shape.ts'
import type { CrumbEvent as StoredEvent } from '../../../src/store/crumb.ts'
import type { crumbItemShape, crumbVersionShape, fullCrumbShape } from '../../../src/store/crumb-shape.ts'
import type { changeListShape, changesShape } from '../../../src/surfaces/http/changes-shape.ts'
import type { consoleInfoShape } from '../../../src/surfaces/http/console-shapes.ts'
import type { inboxItemShape, permitShape, reviewShape } from '../../../src/surfaces/http/insight-shapes.ts'
import type { serverLoginShape } from '../../../src/surfaces/http/server-login-shape.ts'
import type { listedTokenShape } from '../../../src/surfaces/http/token-shape.ts'
import type { triedServerShape } from '../../../src/surfaces/servers/tried-server-shape.ts'
import type { toolDescriptionShape } from '../../../src/surfaces/tool-description-shape.ts'
import type { settingsFieldShape, toolSettingsShape } from '../../../src/surfaces/tool-settings-shape.ts'
import type { haltStateShape } from '../../../src/tool/halt-state.ts'
import type { Static } from '../../../src/tool/shape.ts'
import type { keyShape, lockReportShape } from '../../../src/trust/trust-shapes.ts'

export type { FleetNode, FleetReport } from '../../../src/fleet/fleet-report.ts'
export type {
  CatalogRow,
  CatalogRows,
  SourceFile,
} from '../../../src/surfaces/http/console-types.ts'
export type { Enforcement, LogLine, Outcome, Progress, Span } from '../../../src/tool/outcome.ts'
export type { Problem } from '../../../src/tool/problem.ts'
export type { Example, JsonSchema, Tool } from '../../../src/tool/tool.ts'

export type Profile = Static<typeof profileShape>
export type ToolDescription = Static<typeof toolDescriptionShape>
export type ToolSettingsAnswer = Static<typeof toolSettingsShape>
export type SettingsField = Static<typeof settingsFieldShape>
export type RunSummary = Static<typeof runShape>
export type RunGuard = Static<typeof guardShape>
export type RunStats = Static<typeof runStatsShape>
export type RunDetail = Static<typeof runDetailShape>
export type PendingApproval = Static<typeof approvalShape>
export type Info = Static<typeof consoleInfoShape>
export type TokenInfo = Static<typeof listedTokenShape>
export type SecretInfo = Static<typeof secretShape>
export type KeyInfo = Static<typeof keyShape>
export type DriftReport = Static<typeof lockReportShape>
export type Automation = Static<typeof automationShape>
export type StartedTool = Static<typeof startedToolShape>
export type ScheduleStatus = Static<typeof scheduleStatusShape>
export type SubscriptionStatus = Static<typeof subscriptionStatusShape>
export type CausationGraph = Static<typeof causationGraphShape>
export type CrumbItem = Static<typeof crumbItemShape>
export type FullCrumb = Static<typeof fullCrumbShape>
export type CrumbVersion = Static<typeof crumbVersionShape>

/** One of GET /events/stream */
export type CrumbEvent = Omit<StoredEvent, 'type'> & { readonly type: StoredEvent['type'] | 'stream.reset' }
export type HaltState = Static<typeof haltStateShape>
export type Permit = Static<typeof permitShape>
export type InboxItem = Static<typeof inboxItemShape>
export type Thread = Static<typeof threadShape>
export type Wiring = Static<typeof wiringShape>
export type ChangeSets = Static<typeof changeListShape>['changes']
export type RunChanges = Static<typeof changesShape>
export type ServerLogin = Static<typeof serverLoginShape>
export type Review = Static<typeof reviewShape>
export type TriedServer = Static<typeof triedServerShape>
