// The shape of a token as lists show it.
import { named, t } from '../../tool/shape.ts'

export const listedTokenShape = named(
  'Token',
  t.object({
    name: t.text(),
    from: t.oneOf(['operator', 'config', 'store']),
    admin: t.boolean(),
    grants: t.optional(t.list(t.text())),
    allowedTools: t.optional(t.text()),
    offer: t.optional(t.text({ description: 'The offer it is for.' })),
    createdAt: t.optional(t.text({ description: 'RFC 3339.' })),
    expiresAt: t.optional(t.text({ description: 'RFC 3339.' })),
  }),
)
