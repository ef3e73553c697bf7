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
    dimensions: t.map(t.oneOf(['enforced', 'partial', 'advisory', 'held', 'direct', 'none']), {
      description:
        'How far each was held: by the kernel or host, noticed afterwards, or only reported. `effects`: whether file changes were held on a layer, went directly to the files, or there was nothing writable.',
    }),
    reasons: t.optional(
      t.map(t.text(), { description: 'Why a dimension is not held, where it could be elsewhere.' }),
    ),
  },
  { description: 'What was held during the run, dimension by dimension, and by which layers.' },
)

const effectStates = ['committed', 'held', 'discarded', 'direct', 'none'] as const

const fileEffectShape = t.object({
  path: t.text({ description: 'Relative to the crib.' }),
  kind: t.oneOf(['created', 'changed', 'deleted', 'moved', 'mode', 'link']),
  from: t.optional(t.text({ description: 'Where something moved was before.' })),
  added: t.integer({ description: 'Lines added, where it is text.' }),
  removed: t.integer(),
  size: t.optional(t.integer({ description: 'Bytes after the call.' })),
})

export const effectsShape = named(
  'Effects',
  t.object(
    {
      state: t.oneOf(effectStates, {
        description:
          'In place; waiting for a person; thrown away; written past any layer; or nothing was changed.',
      }),
      added: t.integer({ description: 'Files made.' }),
      changed: t.integer({ description: 'Files changed or moved.' }),
      deleted: t.integer({ description: 'Files removed.' }),
      lines: t.object({ added: t.integer(), removed: t.integer() }),
      files: t.list(fileEffectShape, { description: 'The first 50.' }),
      changeSet: t.optional(t.text({ description: 'What `toolcrib undo` takes: the id of the run.' })),
      reason: t.optional(t.text({ description: 'Why nothing could be held.' })),
      session: t.optional(
        t.text({ description: 'What `toolcrib undo --session` takes: the client it was done for.' }),
      ),
    },
    { description: 'What the call did to the files of the crib.' },
  ),
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
  effects: t.optional(effectsShape),
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
