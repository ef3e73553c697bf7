// Help for one tool: how to call it, its own parameters, what it gives, and an example that is really one of its own.
import { isPlainObject } from '../../tool/json.ts'
import type { Example, JsonSchema, Tool } from '../../tool/tool.ts'
import { shellQuoted } from './shell-quoted.ts'
import { plain } from './style.ts'
import { wrapped } from './wrapped.ts'

interface Property {
  readonly type?: unknown
  readonly enum?: unknown
  readonly default?: unknown
  readonly description?: unknown
}

export function toolHelpLines(
  tool: Tool,
  examples: readonly Example[],
  width = process.stdout.columns || 80,
): string[] {
  const properties = propertiesOf(tool.params)
  const required = new Set((tool.params?.['required'] as readonly string[] | undefined) ?? [])
  const needed = Object.keys(properties).filter((name) => required.has(name))
  const usage = needed.map((name) => `--${name} <${typeOf(properties[name]!)}>`)
  const hasMore = Object.keys(properties).length > needed.length
  const rows = Object.entries(properties).map(([name, property]): [string, string] => [
    `--${name} <${typeOf(property)}>`,
    [
      typeof property.description === 'string' ? property.description : '',
      required.has(name) ? '(required)' : '',
      property.default === undefined ? '' : `(default ${JSON.stringify(property.default)})`,
    ]
      .filter(Boolean)
      .join(' '),
  ])
  const results = Object.entries(propertiesOf(tool.returns)).map(([name, property]): [string, string] => [
    name,
    [typeOf(property), typeof property.description === 'string' ? property.description : '']
      .filter(Boolean)
      .join(': '),
  ])
  const example = examples.find((each) => each.expectError === undefined)
  return [
    `Usage: toolcrib run ${[tool.id, ...usage, ...(hasMore ? ['[--<parameter> <value>...]'] : [])].join(' ')}`,
    '',
    ...wrapped(tool.description, width),
    '',
    ...(rows.length > 0 ? ['Parameters:', ...table(rows, width)] : ['It takes no parameters.']),
    ...(results.length > 0 ? ['', 'Result:', ...table(results, width)] : []),
    ...(tool.requires?.length ? ['', `Needs: ${tool.requires.join(', ')}`] : []),
    ...(example ? ['', 'Example:', `  ${commandLine(tool, example)}`] : []),
    '',
    'More options (--json, --dry-run, --timeout, --approve …): toolcrib run --help',
  ].map(plain)
}

function propertiesOf(schema: JsonSchema | null): { readonly [name: string]: Property } {
  const properties = schema?.['properties']
  if (!isPlainObject(properties)) return {}
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [name, isPlainObject(property) ? property : {}]),
  )
}

function typeOf(property: Property): string {
  if (Array.isArray(property.enum)) return property.enum.join('|')
  return [property.type ?? 'value'].flat().join('|')
}

function table(rows: readonly (readonly [string, string])[], width: number): string[] {
  const column = Math.min(30, Math.max(...rows.map(([name]) => name.length))) + 4
  return rows.flatMap(([name, text]) => {
    const [first = '', ...rest] = wrapped(text, width - column)
    const indent = ' '.repeat(column)
    const head =
      name.length + 4 > column ? [`  ${name}`, `${indent}${first}`] : [`  ${name}`.padEnd(column) + first]
    return [...head, ...rest.map((line) => indent + line)].map((line) => line.trimEnd())
  })
}

/** The call of an example as one would type it. */
function commandLine(tool: Tool, { params }: Example): string {
  const isFlat =
    isPlainObject(params) &&
    Object.values(params).every((value) => ['string', 'number', 'boolean'].includes(typeof value))
  if (!isFlat) return `toolcrib run ${tool.id} --params ${shellQuoted(JSON.stringify(params))}`
  const flags = Object.entries(params).map(([name, value]) => `--${name} ${shellQuoted(String(value))}`)
  return ['toolcrib run', tool.id, ...flags].join(' ')
}
