// Whether a crib was stopped for everybody, and by whom.
import { named, type Static, t } from './shape.ts'

export const haltStateShape = named(
  'HaltState',
  t.object({
    halted: t.boolean(),
    since: t.optional(t.text({ description: 'RFC 3339.' })),
    by: t.optional(t.text({ description: 'Who stopped it.' })),
  }),
)

export interface HaltState extends Static<typeof haltStateShape> {}
