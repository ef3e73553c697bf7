// The shapes of a thread, one story from cause to effect, and of the wiring, who reacts to what.
import { costShape, logLineShape } from '../tool/outcome-shape.ts'
import { named, t } from '../tool/shape.ts'

const threadNodeShape = t.object({
  id: t.text({ description: '`event:` and its position, or `run:` and its id.' }),
  parent: t.orNull(t.text(), { description: 'What caused it, when that is in the thread.' }),
  kind: t.oneOf(['event', 'run']),
  title: t.text({ description: "A run's tool, an event's title." }),
  at: t.text({ description: 'RFC 3339.' }),
  ms: t.optional(t.number()),
  state: t.oneOf(['ok', 'failed', 'refused', 'running', 'created', 'updated', 'deleted']),
  errorCode: t.optional(t.text()),
  message: t.optional(t.text()),
  caller: t.optional(t.text()),
  surface: t.optional(t.text()),
  cost: t.optional(costShape),
  model: t.optional(t.text()),
  tokens: t.optional(t.object({ input: t.number(), output: t.number() })),
  attempts: t.optional(t.integer()),
  allowed: t.optional(t.text({ description: 'Who agreed to the call, and how: `approved by operator`.' })),
  effects: t.optional(
    t.object({ state: t.text(), files: t.integer() }, { description: 'What became of its file changes.' }),
  ),
  runId: t.optional(t.text()),
  crumb: t.optional(t.text()),
  schema: t.optional(t.text()),
  version: t.optional(t.integer()),
  logs: t.list(logLineShape),
})

export const threadShape = named(
  'Thread',
  t.object({
    id: t.text({ description: 'The member it was asked for by.' }),
    member: t.text({ description: 'The node of that member.' }),
    nodes: t.list(threadNodeShape, { description: 'Causes before effects, else by time.' }),
    isLive: t.boolean({ description: 'Something of it runs now.' }),
    isCut: t.boolean({ description: 'It is longer than what is shown.' }),
  }),
)

const wiringNodeShape = t.object({
  id: t.text({ description: '`schema:`, `tool:` or `schedule:` and its name.' }),
  kind: t.oneOf(['schema', 'tool', 'schedule']),
  name: t.text(),
  title: t.text(),
})

const wiringEdgeShape = t.object({
  from: t.text(),
  to: t.text(),
  kind: t.oneOf(['triggers', 'writes', 'fires']),
  count: t.optional(t.integer({ description: 'Runs of the last 24 hours, of an edge that triggers.' })),
  failed: t.optional(t.integer()),
  lag: t.optional(t.integer({ description: 'Matching events that are not done yet.' })),
  lastError: t.optional(t.object({ code: t.text(), at: t.text(), runId: t.text() })),
})

export const wiringShape = t.object({ nodes: t.list(wiringNodeShape), edges: t.list(wiringEdgeShape) })
