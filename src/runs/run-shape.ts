// The shape of a run, as lists and pages of runs show it.
import type { Json } from '../tool/json.ts'
import {
  costShape,
  enforcementShape,
  logLineShape,
  outcomeShape,
  progressShape,
  spanShape,
} from '../tool/outcome-shape.ts'
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
  filesChanged: t.optional(
    t.integer({ description: 'Files it made, changed or removed, held and previewed ones included.' }),
  ),
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
  stoppedAt: t.optional(
    t.text({ description: 'The guard or runtime where a call that failed had come to.' }),
  ),
  isRefused: t.optional(t.boolean({ description: 'A check said no: the tool never began.' })),
  progress: t.optional(progressShape),
}

/** One stop of a running call's way. */
export const guardShape = t.object({
  name: t.text(),
  kind: t.oneOf(['check', 'wrapper', 'middleware', 'hook']),
  state: t.oneOf(['passed', 'now', 'stopped', 'ahead'], {
    description: '`now`: where the call is; `ahead`: not reached.',
  }),
})

const figures = {
  count: t.integer(),
  failed: t.integer(),
  p50: t.orNull(t.number(), { description: 'Milliseconds; null where nothing ran.' }),
  p95: t.orNull(t.number()),
  totalMs: t.number({ description: 'Milliseconds of all together.' }),
}

export const runStatsShape = named(
  'RunStats',
  t.object({
    total: t.object(figures),
    cost: t.list(costShape, { description: 'Sums by currency.' }),
    buckets: t.list(t.object({ at: t.time(), ...figures }), {
      description: 'Steps in which something ran, oldest first.',
    }),
    groups: t.list(
      t.object({
        key: t.text(),
        lastAt: t.text(),
        ...figures,
        course: t.optional(t.list(t.integer(), { description: 'How many ran in each step, with `course`.' })),
      }),
      { description: 'The most used first, at most 1,000.' },
    ),
  }),
)

export const runShape = named('Run', t.object(summary))

export const runDetailShape = named(
  'RunDetail',
  t.object({
    ...summary,
    toolVersion: t.optional(t.text({ description: 'The version that ran.' })),
    toolDigest: t.optional(t.text({ description: 'Digest of the definition that ran.' })),
    params: t.any<Json>({ description: 'As recorded: a shape, or the values when audit.params is full.' }),
    isInFull: t.optional(
      t.boolean({ description: 'True when `params` are the values: the run can be repeated.' }),
    ),
    outcome: t.optional(outcomeShape),
    logs: t.list(logLineShape),
    spans: t.list(spanShape),
    guards: t.optional(t.list(guardShape, { description: 'Of a run in progress: its way so far.' })),
    text: t.optional(t.text({ description: 'Of a run in progress: what its model has written.' })),
  }),
)
