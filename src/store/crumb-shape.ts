// The shapes of a breadcrumb: what a writer gives, what lists and the full view show.
import type { Json, JsonObject } from '../tool/json.ts'
import { named, t } from '../tool/shape.ts'
import { sensitivities, visibilities } from './crumb.ts'

const visibility = t.oneOf(visibilities)
const sensitivity = t.oneOf(sensitivities)

const item = {
  id: t.text(),
  title: t.text(),
  description: t.optional(t.text()),
  semantic_version: t.optional(t.text()),
  tags: t.list(t.text()),
  schema_name: t.optional(t.text()),
  version: t.integer(),
  updated_at: t.time(),
}

export const crumbItemShape = named(
  'BreadcrumbItem',
  t.object({
    ...item,
    context: t.optional(t.any<Json>()),
    score: t.optional(t.number({ description: 'How well it fits the words searched for.' })),
  }),
)

export const crumbShape = t.object({
  ...item,
  owner_id: t.text(),
  context: t.any<Json>(),
  llm_hints: t.optional(t.anyObject<JsonObject>()),
  visibility,
  sensitivity,
  ttl: t.optional(t.time({ description: 'Past it the breadcrumb is invisible.' })),
  created_at: t.time(),
  created_by: t.text(),
  updated_by: t.text(),
})

export const fullCrumbShape = named(
  'Breadcrumb',
  t.object(
    { ...crumbShape.properties, checksum: t.text(), size_bytes: t.integer() },
    { description: 'All fields, context untouched.' },
  ),
)

export const crumbVersionShape = t.object({
  version: t.integer(),
  title: t.text(),
  tags: t.list(t.text()),
  context: t.any<Json>(),
  checksum: t.text(),
  updated_at: t.time(),
  updated_by: t.text(),
})

const given = {
  description: t.optional(t.text()),
  semantic_version: t.optional(t.text()),
  context: t.optional(t.any()),
  tags: t.optional(t.list(t.text({ maxLength: 200 }), { maxItems: 64 })),
  schema_name: t.optional(t.text()),
  llm_hints: t.optional(t.anyObject()),
  visibility: t.optional(visibility),
  sensitivity: t.optional(sensitivity),
  ttl: t.optional(t.time()),
  ttl_seconds: t.optional(t.number({ exclusiveMinimum: 0 })),
}
const title = t.text({ minLength: 1, maxLength: 500 })

/** Checked by src/events/check-crumb.ts, which knows more than a schema can say. */
export const crumbDraftShape = named('BreadcrumbDraft', t.object({ title, ...given }))

export const crumbChangeShape = named(
  'BreadcrumbChange',
  t.object(
    { title: t.optional(title), ...given },
    { description: 'Given fields replace wholly; null clears an optional one.' },
  ),
)
