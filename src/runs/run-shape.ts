// The shape of a run, as lists and pages of runs show it.
import type { Json } from '../tool/json.ts'
import { costShape, enforcementShape, logLineShape, outcomeShape, spanShape } from '../tool/outcome-shape.ts'
import { named, t } from '../tool/shape.ts'

const summary = {
  runId: t.text(),
  tool: t.text(),
  format: t.text(),
  caller: t.text(),
  surface: t.text(),
  startedAt: t.text({ description: 'RFC 3339.' }),
  ms: t.number(),
  state: t.optional(t.only('running', { description: 'A run in progress has it, and no `ok`.' })),
  ok: t.optional(t.boolean()),
  errorCode: t.optional(t.text()),
  cost: t.optional(costShape),
  enforcement: enforcementShape,
  parent: t.optional(t.text({ description: 'The run this one was called from.' })),
  trigger: t.optional(
    t.object(
      {
        schema: t.text(),
        event: t.optional(t.text({ description: 'Position of the event in the feed.' })),
        crumb: t.optional(t.text({ description: 'The breadcrumb the event is about.' })),
      },
      { description: 'What set it going, when it was an event and not a caller.' },
    ),
  ),
}

export const runShape = named('Run', t.object(summary))

export const runDetailShape = named(
  'RunDetail',
  t.object({
    ...summary,
    params: t.any<Json>({ description: 'As recorded: a shape, or the values when audit.params is full.' }),
    isInFull: t.optional(
      t.boolean({ description: 'True when `params` are the values: the run can be repeated.' }),
    ),
    outcome: t.optional(outcomeShape),
    logs: t.list(logLineShape),
    spans: t.list(spanShape),
  }),
)
