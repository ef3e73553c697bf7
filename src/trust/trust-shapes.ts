// The shapes of keys and of what differs from the lock file.
import type { Json } from '../tool/json.ts'
import { problemShape } from '../tool/problem-shape.ts'
import { named, t } from '../tool/shape.ts'

export const keyShape = named(
  'Key',
  t.object({
    keyId: t.text(),
    longId: t.text(),
    owner: t.text(),
    tier: t.oneOf(['project', 'user', 'system']),
    file: t.text(),
    isSigningKey: t.boolean({ description: 'True for the key this user signs with.' }),
    isTrusted: t.boolean(),
    reason: t.optional(t.text({ description: 'Why it does not count.' })),
  }),
)

const difference = {
  field: t.text({
    description:
      '`description`, `requires`, `params/name`, `file …`, `program git`, `capability net.http:…` …',
  }),
  before: t.any<Json>({ description: 'null: it was not there.' }),
  after: t.any<Json>({ description: 'null: it is gone.' }),
  risk: t.oneOf(['high', 'medium', 'low']),
  what: t.text({ description: 'The change in a few words.' }),
  diff: t.optional(
    t.text({ description: 'Of a file: what changed in its text, or why that cannot be shown.' }),
  ),
}

export const differenceShape = t.object(difference)

export const driftShape = named(
  'Difference',
  t.object(
    { tool: t.text(), ...difference },
    { description: 'One way in which a tool is not what was approved.' },
  ),
)

export const lockReportShape = named(
  'Drift',
  t.object({
    locked: t.boolean({ description: 'False: there is no lock file, so nothing is pinned.' }),
    frozen: t.boolean(),
    pinned: t.integer(),
    drifted: t.list(driftShape),
    unpinned: t.list(t.text(), { description: 'Tools that are not in the lock file, as format:id.' }),
    gone: t.list(t.text(), { description: 'Pinned tools that are no longer there.' }),
    problem: t.optional(problemShape),
  }),
)
