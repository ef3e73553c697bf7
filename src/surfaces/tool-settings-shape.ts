// The shape of a tool's settings: its form, and the values that fill it.
import type { UiConfigField } from '../formats/tool-code/shapes.ts'
import type { Json, JsonObject } from '../tool/json.ts'
import { named, t } from '../tool/shape.ts'

export const settingsFieldShape = t.object({
  key: t.text(),
  label: t.text(),
  type: t.oneOf(['string', 'number', 'boolean', 'secret', 'json']),
  ui_type: t.optional(t.any<NonNullable<UiConfigField['ui_type']>>({ type: 'string' })),
  description: t.optional(t.text()),
  default_value: t.optional(t.any()),
  required: t.optional(t.boolean()),
  placeholder: t.optional(t.text()),
  help_text: t.optional(t.text()),
  secret_name: t.optional(t.text()),
  validation: t.optional(t.anyObject<NonNullable<UiConfigField['validation']>>()),
  min: t.optional(t.number()),
  max: t.optional(t.number()),
  step: t.optional(t.number()),
  choices: t.optional(
    t.list(t.object({ value: t.any<Json>(), label: t.text() }), {
      description: 'For select and secret-select.',
    }),
  ),
  choices_error: t.optional(t.text({ description: 'Why the choices could not be found.' })),
})

export const toolSettingsShape = named(
  'ToolSettings',
  t.object({
    tool: t.text(),
    configurable: t.boolean(),
    message: t.orNull(t.text(), { description: 'What to show instead of a form; null when there is one.' }),
    description: t.optional(t.text()),
    fields: t.list(settingsFieldShape),
    values: t.anyObject<JsonObject>({ description: 'Defaults, overlaid by what was saved.' }),
    saved: t.orNull(t.anyObject<JsonObject>(), { description: 'What was saved; null when nothing was.' }),
    id: t.orNull(t.text(), { description: 'The tool.config.v1 breadcrumb.' }),
    version: t.orNull(t.integer(), { description: 'Its version, for If-Match.' }),
    last_updated: t.orNull(t.text()),
  }),
)
