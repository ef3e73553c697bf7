// Reads query parameters as a route declares them; what is malformed is a 400 that names the parameter.
import type { TSchema } from '../../tool/shape.ts'
import { HttpProblem } from './problem-json.ts'
import type { Route } from './route.ts'

/** The declared parameters; an empty one is an absent one, repeated names are for lists. */
export function readQuery(
  shape: Route['query'],
  query: URLSearchParams,
): { readonly [name: string]: unknown } {
  const values: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(shape?.properties ?? {})) {
    const value = readField(name, field, query) ?? field.default
    if (value !== undefined) values[name] = value
    else if (isRequired(shape!, name)) throw malformed(`${name} is missing: ${lowerFirst(field.description)}`)
  }
  return values
}

/** Whether a request without it is refused. */
export function isRequired(shape: NonNullable<Route['query']>, name: string): boolean {
  return ((shape['required'] as readonly string[] | undefined) ?? []).includes(name)
}

function readField(name: string, field: TSchema, query: URLSearchParams): unknown {
  if (field['type'] === 'array') {
    const all = query.getAll(name).filter((item) => item !== '')
    return all.length > 0 ? all : undefined
  }
  const text = query.get(name)
  if (text === null) return undefined
  if (field['type'] === 'boolean') return yesOrNo(name, text)
  if (text === '') return undefined
  if (field['type'] === 'integer') return wholeNumber(name, text, field)
  if (field['format'] === 'date-time') return moment(name, text)
  const choices: readonly string[] | undefined = field['enum']
  if (choices && !choices.includes(text)) throw malformed(`${name} is one of ${choices.join(', ')}.`)
  return text
}

function wholeNumber(name: string, text: string, { minimum = 0, maximum }: TSchema): number {
  const value = Number(text)
  if (/^\d{1,16}$/.test(text) && value >= minimum && value <= (maximum ?? Number.MAX_SAFE_INTEGER))
    return value
  const range = maximum === undefined ? `of at least ${minimum}` : `from ${minimum} to ${maximum}`
  throw malformed(`${name} is a whole number ${range}, not "${text}".`)
}

/** `true`, `1` or empty for yes, `false` or `0` for no. */
function yesOrNo(name: string, text: string): boolean {
  if (text === '' || text === 'true' || text === '1') return true
  if (text === 'false' || text === '0') return false
  throw malformed(`${name} is true or false, not "${text}".`)
}

/** A moment as RFC 3339 in UTC. */
function moment(name: string, text: string): string {
  const at = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN
  if (!Number.isNaN(at)) return new Date(at).toISOString()
  throw malformed(`${name} is a time like 2030-01-31T12:00:00Z, not "${text}".`)
}

export function malformed(message: string): HttpProblem {
  return new HttpProblem('MALFORMED', message)
}

function lowerFirst(text = ''): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}
