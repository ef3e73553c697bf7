// The shape of a secret without its value.
import { named, t } from '../tool/shape.ts'
import { secretScopes } from './secrets.ts'

export const secretScopeShape = t.oneOf(secretScopes)

export const secretShape = named(
  'Secret',
  t.object(
    {
      id: t.text(),
      name: t.text(),
      scope_type: secretScopeShape,
      scope_id: t.orNull(t.text()),
      created_at: t.time(),
      updated_at: t.time(),
      last_used_at: t.optional(t.time({ description: 'When a tool was given it last.' })),
    },
    { description: 'A secret without its value.' },
  ),
)
