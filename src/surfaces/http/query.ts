// Reads query parameters; what is malformed is a 400 that names the parameter.
import { HttpProblem } from './problem-json.ts'

/** A whole number of at least `least`; undefined when absent. */
export function wholeNumber(
  query: URLSearchParams,
  name: string,
  least = 0,
  most = Number.MAX_SAFE_INTEGER,
): number | undefined {
  const text = query.get(name)
  if (text === null || text === '') return undefined
  const value = Number(text)
  if (/^\d{1,16}$/.test(text) && value >= least && value <= most) return value
  const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`
  throw malformed(`${name} is a whole number ${range}, not "${text}".`)
}

/** `true`, `1` or empty for yes, `false` or `0` for no; undefined when absent. */
export function yesOrNo(query: URLSearchParams, name: string): boolean | undefined {
  const text = query.get(name)
  if (text === null) return undefined
  if (text === '' || text === 'true' || text === '1') return true
  if (text === 'false' || text === '0') return false
  throw malformed(`${name} is true or false, not "${text}".`)
}

/** A moment as RFC 3339 in UTC; undefined when absent. */
export function moment(query: URLSearchParams, name: string): string | undefined {
  const text = query.get(name)
  if (text === null || text === '') return undefined
  const at = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN
  if (!Number.isNaN(at)) return new Date(at).toISOString()
  throw malformed(`${name} is a time like 2030-01-31T12:00:00Z, not "${text}".`)
}

export function malformed(message: string): HttpProblem {
  return new HttpProblem(400, 'malformed', message)
}

/** The query of a request, repeated names kept. */
export function queryOf(request: Request): URLSearchParams {
  return new URL(request.url).searchParams
}
