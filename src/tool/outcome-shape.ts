// The shape of an Outcome and its parts.
import type { Json } from './json.ts'
import { named, t } from './shape.ts'

export const toolErrorShape = t.object({
  code: t.text({ description: 'UPPER_SNAKE, for programs.' }),
  message: t.text(),
  hint: t.optional(t.text({ description: 'What to do next.' })),
  details: t.optional(t.any<Json>()),
  retryable: t.boolean(),
})

export const logLineShape = t.object({
  level: t.oneOf(['debug', 'info', 'warn', 'error']),
  message: t.text(),
  atMs: t.number({ description: 'Milliseconds since the call began.' }),
  data: t.optional(t.any<Json>()),
})

export const progressShape = t.object({
  done: t.number(),
  total: t.optional(t.number()),
  message: t.optional(t.text()),
})

export const enforcementShape = t.object(
  {
    layers: t.list(t.text()),
    dimensions: t.map(t.oneOf(['enforced', 'partial', 'advisory']), {
      description: 'How far each was held: by the kernel or host, noticed afterwards, or only reported.',
    }),
  },
  { description: 'What was held during the run, dimension by dimension, and by which layers.' },
)

export const costShape = t.object({ amount: t.number(), currency: t.text() })

export const spanShape = t.object(
  { name: t.text(), startMs: t.number(), endMs: t.number() },
  { description: 'Time spent in one guard or runtime, from the start of the call.' },
)

const base = {
  logs: t.list(logLineShape),
  ms: t.number(),
  runId: t.text(),
  meta: t.optional(
    t.anyObject<{ readonly [key: string]: Json }>({
      description: 'Facts of the runtime: exit code, truncated, resolved binary, attempts, status.',
    }),
  ),
  cost: t.optional(costShape),
  enforcement: enforcementShape,
}

export const successShape = t.object({ ok: t.only(true), value: t.any(), ...base })

export const failureShape = t.object({
  ok: t.only(false),
  error: toolErrorShape,
  value: t.optional(
    t.any({ description: 'What the tool had produced before it failed, where the format keeps it.' }),
  ),
  ...base,
})

export const outcomeShape = named(
  'Outcome',
  t.either([successShape, failureShape], {
    description: 'What a call came to: a value, or an error with its code.',
  }),
)
