// The shapes of what automation says of itself: what started, what is scheduled, who listens, what caused what.
import type { Subscription } from '../formats/tool-code/shapes.ts'
import type { Json } from '../tool/json.ts'
import { named, t } from '../tool/shape.ts'

const names = t.list(t.text())

export const startedToolShape = t.object({
  name: t.text(),
  version: t.text(),
  mode: t.oneOf(['once', 'continuous', 'disabled']),
  priority: t.number(),
  wait_for: names,
  status: t.oneOf(['succeeded', 'failed', 'started', 'completed', 'skipped']),
  code: t.optional(t.text()),
  reason: t.optional(t.text()),
  duration_ms: t.number(),
  restarts: t.integer(),
})

export const bootstrapReportShape = t.object({
  kind: t.only('startup-report'),
  node: t.text(),
  started_at: t.time(),
  finished_at: t.orNull(t.time()),
  order: names,
  tools: t.list(startedToolShape),
  cycles: t.list(names),
})

export const scheduleStatusShape = t.object({
  id: t.text({ description: 'Id of the schedule.definition.v1 breadcrumb.' }),
  title: t.text(),
  interval: t.any<Json>(),
  labels: names,
  enabled: t.boolean(),
  catchUp: t.oneOf(['skip', 'once']),
  nextAt: t.orNull(t.text(), { description: 'When it fires next; null when it never does.' }),
  next: t.list(t.text(), { description: 'The next five times it fires.' }),
  lastDueAt: t.orNull(t.text(), {
    description: 'The due time that was handled last; null before the first.',
  }),
  problem: t.optional(t.text({ description: 'Why it never fires.' })),
})

export const subscriptionStatusShape = t.object({
  tool: t.text(),
  on: t.list(t.anyObject<Subscription>()),
  cursor: t.integer({ description: 'Position in the feed up to which everything is done.' }),
  lag: t.integer({ description: 'Matching events that are not done yet, the one that runs included.' }),
  lagMs: t.number({ description: 'How long the oldest of them has waited.' }),
  isRunning: t.boolean(),
  attempts: t.integer({ description: 'How often the event that runs was begun.' }),
  skipped: t.integer({ description: 'Events left out because their breadcrumb had expired.' }),
  isHere: t.boolean({ description: 'False: another server of this crib does the work.' }),
  isPaused: t.boolean({ description: 'True while a person holds it back; its events wait.' }),
})

export const requestStatusShape = t.object({
  id: t.text({ description: 'Id of the tool.request.v1 breadcrumb.' }),
  tool: t.text(),
  state: t.oneOf(['waiting', 'done', 'failed']),
  by: t.text({ description: 'Who asked.' }),
  createdAt: t.time(),
  answeredAt: t.optional(t.time()),
  response: t.optional(t.text({ description: 'Id of the tool.response.v1 breadcrumb.' })),
  error: t.optional(t.text()),
  input: t.any<Json>(),
})

export const automationShape = named(
  'Automation',
  t.object({
    isRunning: t.boolean({ description: 'True when this server reacts to events.' }),
    bootstrap: t.object({ isEnabled: t.boolean(), report: t.orNull(bootstrapReportShape) }),
    services: t.list(startedToolShape, { description: 'The continuous tools of the report.' }),
    schedules: t.object({ engine: t.oneOf(['builtin', 'off']), items: t.list(scheduleStatusShape) }),
    subscriptions: t.list(subscriptionStatusShape),
    requests: t.object({ waiting: t.integer(), claimed: t.integer(), done: t.integer() }),
    feed: t.object({ last: t.integer(), horizon: t.integer() }),
  }),
)

export const crumbNodeShape = t.object({
  id: t.text({ description: '`crumb:` and the id.' }),
  kind: t.only('crumb'),
  crumb: t.text(),
  title: t.text(),
  schema_name: t.orNull(t.text()),
  events: t.list(
    t.object({ id: t.text(), type: t.text(), version: t.integer(), at: t.text(), depth: t.integer() }),
    { description: 'What happened to it in this chain.' },
  ),
})

export const runNodeShape = t.object({
  id: t.text({ description: '`run:` and the id.' }),
  kind: t.only('run'),
  runId: t.text(),
  tool: t.text(),
  ok: t.optional(t.boolean({ description: 'Absent while it runs.' })),
  errorCode: t.optional(t.text()),
  startedAt: t.optional(t.time()),
  ms: t.optional(t.number()),
})

export const causationEdgeShape = t.object({
  from: t.text(),
  to: t.text(),
  kind: t.oneOf(['triggered', 'wrote', 'called']),
  event: t.optional(t.text({ description: 'Position of the event in the feed, for edges that are one.' })),
})

export const causationGraphShape = named(
  'CausationGraph',
  t.object({
    root: t.text({ description: 'Position in the feed of the event that began it.' }),
    nodes: t.list(t.either([crumbNodeShape, runNodeShape])),
    edges: t.list(causationEdgeShape),
    isCut: t.boolean({ description: 'True when the chain is longer than what is shown.' }),
  }),
)
