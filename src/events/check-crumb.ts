// From what a client sent to a draft that may be stored. All faults are told at once, each with its pointer.

import { type Crumb, type CrumbDraft, sensitivities, visibilities } from '../store/crumb.ts'
import { isPlainObject, isTooDeep, type Json, type JsonObject, maxLevels } from '../tool/json.ts'
import { ToolError } from '../tool/tool-error.ts'

export const maxBodyBytes = 4 * 1024 * 1024
/** A hundred years. */
const maxTtlSeconds = 100 * 365 * 86_400

/** Fields a client may set; anything else is kept aside, except what only the store decides. */
const known = new Set([
  'title',
  'description',
  'semantic_version',
  'context',
  'tags',
  'schema_name',
  'llm_hints',
  'visibility',
  'sensitivity',
  'ttl',
  'ttl_seconds',
  'ttl_type',
])
const decidedByStore = new Set([
  'id',
  'owner_id',
  'version',
  'checksum',
  'size_bytes',
  'created_at',
  'updated_at',
  'created_by',
  'updated_by',
  'extra',
])

interface Fault {
  readonly pointer: string
  readonly message: string
}

/** The draft of a new crumb; throws 400, 413 or 422. */
export function draftOf(body: unknown, nowMs: number): CrumbDraft {
  if (!isPlainObject(body))
    throw new ToolError('MALFORMED', 'A breadcrumb is a JSON object with title, context and tags.')
  checkSize(body)
  const faults: Fault[] = []
  const fields = readFields(body, faults, nowMs)
  if (fields.title === undefined && !faults.some((fault) => fault.pointer === '/title'))
    faults.unshift({ pointer: '/title', message: 'is required' })
  throwFaults(faults)
  const tags = fields.tags ?? []
  const ttl = fields.ttl ?? defaultTtl(fields.schema_name ?? undefined, tags, nowMs)
  return tidy(
    Object.assign(fields, {
      context: fields.context === undefined ? {} : fields.context,
      tags,
      visibility: fields.visibility ?? 'team',
      sensitivity: fields.sensitivity ?? 'low',
      ttl,
    }),
  )
}

/** The draft after a change: given fields replace wholly, null clears an optional one. */
export function patchedDraft(current: Crumb, body: unknown, nowMs: number): CrumbDraft {
  if (!isPlainObject(body)) throw new ToolError('MALFORMED', 'A change is a JSON object of fields.')
  checkSize(body)
  const faults: Fault[] = []
  const fields = readFields(body, faults, nowMs)
  for (const name of ['title', 'tags', 'visibility', 'sensitivity'])
    if (body[name] === null) faults.push({ pointer: `/${name}`, message: 'cannot be cleared' })
  throwFaults(faults)
  const extra = { ...current.extra, ...fields.extra }
  return tidy({
    title: current.title,
    description: current.description,
    semantic_version: current.semantic_version,
    context: current.context,
    tags: current.tags,
    schema_name: current.schema_name,
    llm_hints: current.llm_hints,
    visibility: current.visibility,
    sensitivity: current.sensitivity,
    ttl: current.ttl,
    ...fields,
    extra: Object.keys(extra).length > 0 ? extra : undefined,
  })
}

type Fields = { [K in keyof CrumbDraft]?: CrumbDraft[K] | null | undefined }

function readFields(body: Record<string, unknown>, faults: Fault[], nowMs: number): Fields {
  const fields: { -readonly [K in keyof Fields]: Fields[K] } = {}
  const fault = (name: string, message: string): void => void faults.push({ pointer: `/${name}`, message })
  const text = (name: string, most: number, least = 0): string | null | undefined => {
    const value = body[name]
    if (value === undefined || value === null) return value
    if (typeof value !== 'string') fault(name, 'must be text')
    else if (value.length < least || isLonger(value, most))
      fault(name, `must have ${least} to ${most} characters`)
    else return value
    return undefined
  }
  const oneOf = <T extends string>(name: string, allowed: readonly T[]): T | undefined => {
    const value = body[name]
    if (value === undefined || value === null) return undefined
    if (allowed.includes(value as T)) return value as T
    fault(name, `must be one of ${allowed.join(', ')}`)
    return undefined
  }
  const set = <K extends keyof Fields>(name: K, value: Fields[K]): void => {
    if (value !== undefined) fields[name] = value
  }
  const title = text('title', 500, 1)
  if (title !== null) set('title', title)
  set('description', text('description', 100_000))
  set('semantic_version', text('semantic_version', 200))
  set('schema_name', text('schema_name', 200, 1))
  for (const [name, value] of Object.entries(body))
    if (isTooDeep(value)) fault(name, `is nested deeper than ${maxLevels} levels`)
  if (body['context'] !== undefined) set('context', body['context'] as Json)
  set('tags', readTags(body['tags'], faults))
  if (body['llm_hints'] === null) fields.llm_hints = null
  else if (body['llm_hints'] !== undefined) {
    if (isPlainObject(body['llm_hints'])) fields.llm_hints = body['llm_hints'] as JsonObject
    else fault('llm_hints', 'must be an object')
  }
  set('visibility', oneOf('visibility', visibilities))
  set('sensitivity', oneOf('sensitivity', sensitivities))
  set('ttl', readTtl(body, fault, nowMs))
  const unknown = Object.keys(body).filter((name) => !known.has(name) && !decidedByStore.has(name))
  if (unknown.length > 0)
    fields.extra = Object.fromEntries(unknown.map((name) => [name, body[name]])) as JsonObject
  return fields
}

/** Counted as JSON Schema counts: what is written as a pair of code units is one character. */
function isLonger(text: string, most: number): boolean {
  return text.length > most && (text.length > 2 * most || [...text].length > most)
}

function readTags(given: unknown, faults: Fault[]): readonly string[] | undefined {
  if (given === undefined || given === null) return undefined
  if (!Array.isArray(given)) {
    faults.push({ pointer: '/tags', message: 'must be a list of texts' })
    return undefined
  }
  if (given.length > 64) faults.push({ pointer: '/tags', message: 'must have at most 64 entries' })
  given.slice(0, 65).forEach((tag, index) => {
    if (typeof tag !== 'string' || tag.length === 0 || isLonger(tag, 200))
      faults.push({ pointer: `/tags/${index}`, message: 'must be text of 1 to 200 characters' })
  })
  return [...new Set(given as string[])]
}

const rfc3339 = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/

/** A day there is not, such as 30 February, would be read as one of the month after it. */
function isRfc3339(text: string): boolean {
  const midnight = new Date(`${text.slice(0, 10)}T00:00:00Z`)
  return rfc3339.test(text) && midnight.getUTCDate() === Number(text.slice(8, 10))
}

function readTtl(
  body: Record<string, unknown>,
  fault: (name: string, message: string) => void,
  nowMs: number,
): string | null | undefined {
  const type = body['ttl_type']
  if (type === 'usage' || type === 'hybrid')
    fault('ttl_type', `"${type}" is not offered; give ttl or ttl_seconds`)
  const seconds = body['ttl_seconds']
  if (seconds !== undefined && seconds !== null) {
    if (typeof seconds !== 'number' || !(seconds > 0) || seconds > maxTtlSeconds) {
      fault('ttl_seconds', `must be a number above 0 and at most ${maxTtlSeconds}`)
      return undefined
    }
    return new Date(nowMs + seconds * 1000).toISOString()
  }
  const ttl = body['ttl']
  if (ttl === undefined || ttl === null) return ttl
  const at = typeof ttl === 'string' && isRfc3339(ttl) ? Date.parse(ttl) : Number.NaN
  if (Number.isNaN(at)) fault('ttl', 'must be a time like 2030-01-31T12:00:00Z')
  else if (at <= nowMs) fault('ttl', 'must lie in the future')
  else return new Date(at).toISOString()
  return undefined
}

const minute = 60_000
const day = 24 * 60 * minute

function defaultTtl(schema: string | undefined, tags: readonly string[], nowMs: number): string | undefined {
  if (tags.includes('persist')) return undefined
  const ms =
    schema === 'schedule.tick.v1' || (schema === 'tool.request.v1' && tags.includes('health:check'))
      ? 5 * minute
      : schema === 'system.ping.v1'
        ? 10 * minute
        : schema === 'tool.request.v1' || schema === 'tool.response.v1' || schema === 'tool.error.v1'
          ? 7 * day
          : undefined
  return ms === undefined ? undefined : new Date(nowMs + ms).toISOString()
}

function checkSize(body: unknown): void {
  let bytes = 0
  try {
    bytes = Buffer.byteLength(JSON.stringify(body))
  } catch (error) {
    if (error instanceof RangeError)
      throw new ToolError('INVALID', `The breadcrumb is nested deeper than ${maxLevels} levels.`, {
        hint: 'Nest its values less deeply.',
      })
    throw new ToolError('MALFORMED', `The body is no JSON: ${(error as Error).message}.`)
  }
  if (bytes > maxBodyBytes)
    throw new ToolError('TOO_LARGE', `The body has ${bytes} bytes, at most ${maxBodyBytes} are taken.`)
}

function throwFaults(faults: readonly Fault[]): void {
  if (faults.length === 0) return
  const words = faults.map((fault) => `${fault.pointer} ${fault.message}`).join('; ')
  throw new ToolError('INVALID', `The breadcrumb is not valid: ${words}.`, {
    hint: 'Correct the fields that are named; docs/http.md lists them.',
    details: faults.map((fault) => ({ ...fault })),
  })
}

/** Leaves out what is absent or cleared, and puts fields in one order. */
function tidy(
  fields: (Fields & Pick<CrumbDraft, 'tags' | 'visibility' | 'sensitivity'>) | Fields,
): CrumbDraft {
  const draft: Record<string, unknown> = {}
  for (const name of Object.keys(fields) as (keyof Fields)[]) {
    const value = fields[name]
    if (value === undefined || (value === null && name !== 'context')) continue
    draft[name] = value
  }
  return draft as unknown as CrumbDraft
}
