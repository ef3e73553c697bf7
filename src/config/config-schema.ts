// The published JSON Schema of what a user writes: the shape of the settings, where everything may be left out and
// the defaults are told.
import { isPlainObject, type Json, type JsonObject } from '../tool/json.ts'
import { schemaOf } from '../tool/shape.ts'
import type { JsonSchema } from '../tool/tool.ts'
import { defaultConfig } from './config.ts'
import { configShape } from './config-shape.ts'

export const configSchema: JsonSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'https://toolcrib.dev/schema/config.json',
  title: 'toolcrib.yaml',
  ...asWritten(schemaOf(configShape), defaultConfig),
}

type Fields = { readonly [name: string]: JsonObject }

function asWritten({ required: _, ...schema }: JsonObject, defaults: object): JsonObject {
  const properties: Record<string, Json> = {}
  if (defaults === defaultConfig) properties['$schema'] = { type: 'string', description: 'For editors.' }
  for (const [name, field] of Object.entries(schema['properties'] as Fields)) {
    const value = (defaults as { readonly [name: string]: Json })[name]!
    const isSection = isPlainObject(value) && field['properties'] !== undefined
    properties[name] = isSection ? asWritten(field, value) : { ...field, default: shortForm(name, value) }
  }
  return { ...schema, properties }
}

/** `sandbox` is mostly written as its mode. */
function shortForm(name: string, value: Json): Json {
  return name === 'sandbox' ? defaultConfig.sandbox.mode : value
}
