// `context.ui_schema`: the settings form of a tool. Extras are kept and ignored; a field that no form could
// show or no value could satisfy is a problem.
import { isPlainObject } from '../../tool/json.ts'
import { compileRegExp } from '../../tool/pattern.ts'
import type { Findings } from './findings.ts'
import { fieldTypes, fieldWidgets, type UiConfigField, type UiSchema } from './shapes.ts'

export function checkUiSchema(given: unknown, findings: Findings): UiSchema | null {
  const at = '/context/ui_schema'
  if (given === undefined) return null
  if (!isPlainObject(given)) {
    findings.add('tc-ui-schema', at, 'context.ui_schema must be an object.')
    return null
  }
  if (typeof given['configurable'] !== 'boolean')
    findings.add('tc-ui-schema', `${at}/configurable`, 'ui_schema.configurable must be true or false.')
  const fields = given['config_fields'] ?? []
  if (!Array.isArray(fields)) {
    findings.add('tc-ui-schema', `${at}/config_fields`, 'ui_schema.config_fields must be a list.')
    return null
  }
  const keys = new Set<unknown>()
  const good = fields.filter((field, index) => {
    const pointer = `${at}/config_fields/${index}`
    const faults = fieldFaults(field)
    if (isPlainObject(field) && keys.has(field['key']))
      faults.push(['/key', `the key ${JSON.stringify(field['key'])} is used twice`])
    if (isPlainObject(field)) keys.add(field['key'])
    for (const [below, message] of faults)
      findings.add('tc-ui-schema', `${pointer}${below}`, `Settings field ${index}: ${message}.`)
    return faults.length === 0
  })
  return {
    configurable: given['configurable'] === true,
    config_fields: good as UiConfigField[],
    ...(typeof given['description'] === 'string' ? { description: given['description'] } : {}),
  }
}

type Fault = [pointer: string, message: string]

function fieldFaults(field: unknown): Fault[] {
  if (!isPlainObject(field)) return [['', 'it must be an object']]
  const faults: Fault[] = []
  const expect = (key: string, isGood: boolean, message: string) => {
    if (!isGood) faults.push([`/${key}`, `${key} ${message}`])
  }
  const optionalText = (key: string) =>
    expect(key, field[key] === undefined || typeof field[key] === 'string', 'must be a string')
  expect('key', typeof field['key'] === 'string' && field['key'] !== '', 'is required')
  expect('label', typeof field['label'] === 'string' && field['label'] !== '', 'is required')
  expect('type', fieldTypes.includes(field['type'] as never), `must be one of ${fieldTypes.join(', ')}`)
  expect(
    'ui_type',
    field['ui_type'] === undefined || fieldWidgets.includes(field['ui_type'] as never),
    `must be one of ${fieldWidgets.join(', ')}`,
  )
  expect(
    'required',
    field['required'] === undefined || typeof field['required'] === 'boolean',
    'must be true or false',
  )
  for (const key of ['description', 'placeholder', 'help_text', 'secret_name']) optionalText(key)
  expect(
    'default_value',
    fitsType(field['default_value'], field['type']),
    `must be a ${String(field['type'])}`,
  )
  expect(
    'options',
    field['options'] === undefined ||
      (Array.isArray(field['options']) &&
        field['options'].every((option) => isPlainObject(option) && 'value' in option)),
    'must be a list of {value, label}',
  )
  return [...faults, ...validationFaults(field['validation']), ...sourceFaults(field['options_source'])]
}

function fitsType(value: unknown, type: unknown): boolean {
  if (value === undefined || value === null || type === 'json') return true
  return typeof value === (type === 'secret' ? 'string' : type)
}

function validationFaults(validation: unknown): Fault[] {
  if (validation === undefined) return []
  if (!isPlainObject(validation)) return [['/validation', 'validation must be an object']]
  const faults: Fault[] = []
  for (const key of ['min', 'max', 'step']) {
    if (validation[key] !== undefined && typeof validation[key] !== 'number')
      faults.push([`/validation/${key}`, `validation.${key} must be a number`])
  }
  const pattern = validation['pattern']
  if (pattern === undefined) return faults
  try {
    if (typeof pattern !== 'string') throw new TypeError('it is no string')
    compileRegExp(pattern)
  } catch (error) {
    faults.push([
      '/validation/pattern',
      `validation.pattern is no regular expression: ${(error as Error).message}`,
    ])
  }
  return faults
}

function sourceFaults(source: unknown): Fault[] {
  if (source === undefined) return []
  if (!isPlainObject(source)) return [['/options_source', 'options_source must be an object']]
  if (source['type'] === 'api')
    return typeof source['url'] === 'string' && URL.canParse(source['url'])
      ? []
      : [['/options_source/url', 'options_source.url must be a URL']]
  if (source['type'] !== 'breadcrumb-search')
    return [['/options_source/type', 'options_source.type must be "breadcrumb-search" or "api"']]
  return ['schema_name', 'tag', 'value_path', 'label_path']
    .filter((key) => source[key] !== undefined && typeof source[key] !== 'string')
    .map((key) => [`/options_source/${key}`, `options_source.${key} must be a string`])
}
