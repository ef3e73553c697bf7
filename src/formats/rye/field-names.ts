// The metadata fields of the format and how each language spells them.
import { type FieldName, fieldNames } from './shapes.ts'

const constants: { readonly [name: string]: FieldName } = {
  CONFIG_SCHEMA: 'config_schema',
  CONFIG_RESOLVE: 'config_resolve',
  CONFIG: 'config',
  ENV_CONFIG: 'env_config',
  INPUT_SCHEMA: 'input_schema',
  OUTPUT_SCHEMA: 'output_schema',
}

const codeNames = new Map<string, { field: FieldName; rank: number }>([
  ...fieldNames.map((field) => [`__${field}__`, { field, rank: 1 }] as const),
  ...Object.entries(constants).map(([name, field]) => [name, { field, rank: 0 }] as const),
  ['__tool_description__', { field: 'description', rank: 0 }],
])

/** The field a name in a code file stands for; a lower rank wins when a file uses two names of one field. */
export function codeField(name: string): { readonly field: FieldName; readonly rank: number } | undefined {
  return codeNames.get(name)
}

/** The field a top-level key of a data file stands for. */
export function dataField(key: string): FieldName | undefined {
  if (key === 'CONFIG_SCHEMA' || key === 'CONFIG_RESOLVE') return constants[key]
  return (fieldNames as readonly string[]).includes(key) ? (key as FieldName) : undefined
}

/** Fields that hold a JSON Schema, or several. */
export const schemaFields: ReadonlySet<string> = new Set([
  'input_schema',
  'config_schema',
  'output_schema',
  'outputs',
])
