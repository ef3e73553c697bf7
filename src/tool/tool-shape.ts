// The shape of a Tool, as `list`, `show` and the HTTP API give it and `toolcrib schema tool` prints it.
import type { RuntimeChoice } from './plans/runtime-plans.ts'
import { problemShape } from './problem-shape.ts'
import { schemaOf, t } from './shape.ts'

import type { JsonSchema, ToolDetails } from './tool.ts'

const names = t.list(t.text())
const jsonSchema = (description: string) => t.orNull(t.anyObject<JsonSchema>(), { description })
const limit = (description: string) => t.optional(t.number({ minimum: 0, description }))

const tier = t.oneOf(['project', 'user', 'system'], {
  description: 'Where its file stands; a higher tier hides the same id in a lower one.',
})
export const toolKinds = [
  'callable',
  'middleware',
  'context',
  'runtime',
  'primitive',
  'library',
  'server',
  'prompt',
  'resource',
  'instructions',
] as const
const kind = t.oneOf(toolKinds)
const trustStatus = t.oneOf(['trusted', 'untrusted', 'tampered', 'unsigned', 'invalid', 'unchecked'])

export const chainLinkShape = t.object({
  id: t.text(),
  tier,
  kind,
  type: t.text(),
  executor: t.orNull(t.text()),
  digest: t.text(),
  trust: trustStatus,
  file: t.optional(t.text()),
})

export const toolShape = t.object(
  {
    id: t.text(),
    name: t.text({
      pattern: '^[A-Za-z0-9_-]{1,64}$',
      description: 'What a model sees, unique in the catalog.',
    }),
    title: t.optional(t.text()),
    description: t.text(),
    version: t.text(),
    format: t.text(),
    kind,
    tier,
    state: t.oneOf(['available', 'invalid', 'unavailable', 'disabled', 'shadowed', 'quarantined'], {
      description:
        'invalid: has an error; unavailable: something is missing here; shadowed: only as format:id.',
    }),
    reason: t.optional(t.text({ description: 'Why it is not available.' })),
    aliases: names,
    params: jsonSchema('null: it takes no parameters.'),
    returns: jsonSchema('null: nothing is said of its result.'),
    requires: t.orNull(names, { description: 'Capabilities; null: the definition does not speak of them.' }),
    limits: t.object({
      timeoutMs: limit('Milliseconds of one attempt.'),
      memoryMb: limit('Megabytes of its process.'),
      cpuPercent: limit('Share of one processor.'),
      processes: limit('Processes and threads.'),
      outputBytes: limit('Bytes of its result.'),
    }),
    retry: t.optional(
      t.object({
        maxAttempts: t.integer({ description: 'All attempts, the first included.' }),
        backoff: t.oneOf(['fixed', 'linear', 'exponential']),
        initialDelayMs: t.number(),
        maxDelayMs: t.number(),
        multiplier: t.number(),
      }),
    ),
    cost: t.optional(
      t.object({
        perCall: t.number(),
        perMinute: t.number(),
        estimatedSeconds: t.optional(t.number()),
        currency: t.text(),
      }),
    ),
    tags: names,
    examples: t.list(
      t.object({
        title: t.optional(t.text()),
        params: t.any(),
        expect: t.optional(t.any({ description: 'Absent: only `returns` is checked.' })),
        expectError: t.optional(t.text({ description: 'The code it is expected to fail with.' })),
        match: t.optional(t.oneOf(['exact', 'schema', 'partial'])),
      }),
    ),
    hidden: t.boolean(),
    source: t.object({
      file: t.orNull(t.text(), { description: 'Absolute path; null for tools made in code.' }),
      line: t.optional(t.integer()),
      crumb: t.optional(t.text({ description: 'The breadcrumb it lives in, where that is no file.' })),
      digest: t.text({ description: "SHA-256 of the defining file's bytes." }),
      files: t.optional(
        t.list(t.text(), {
          description: 'Every file of the definition and its code, the defining one first.',
        }),
      ),
    }),
    runtime: t.any<RuntimeChoice | null>({
      anyOf: [t.object({ name: t.text(), plan: t.anyObject() }), { type: 'null' }],
      description: 'Which runtime runs it, with the plan of that runtime.',
    }),
    chain: t.optional(t.list(chainLinkShape, { description: 'The executor chain, the tool itself first.' })),
    trust: t.object({
      status: trustStatus,
      keyId: t.optional(t.text()),
      signedAt: t.optional(t.text()),
      owner: t.optional(t.text()),
      keyTier: t.optional(tier),
      reason: t.optional(t.text({ description: 'Why it is not trusted.' })),
    }),
    problems: t.list(problemShape),
    needsBins: t.optional(
      t.list(names, { description: 'Programs on PATH: one inner list fully present is enough.' }),
    ),
    secrets: t.optional(t.list(t.text(), { description: 'Names of the secrets it is given.' })),
    details: t.optional(t.anyObject<ToolDetails>({ description: 'What not every tool has.' })),
  },
  { $schema: 'https://json-schema.org/draft/2020-12/schema', title: 'Tool' },
)

export const toolSchema: JsonSchema = schemaOf(toolShape)
