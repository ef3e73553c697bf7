// `context.api` on the host's side: every request of a run is checked against its rights here, then handed to the
// store or the kernel. A refusal becomes an Error with `code` and `status` in the tool.
import { coversName, mayWriteSchema } from '../../formats/tool-code/name-patterns.ts'
import { statusOfCode } from '../../tool/error-codes.ts'
import { isPlainObject, type Json, type JsonObject } from '../../tool/json.ts'
import type { Outcome } from '../../tool/outcome.ts'
import { messageOf, ToolError } from '../../tool/tool-error.ts'
import type { Answer, AnswerError } from '../../workers/protocol.ts'
import type { BrokerSession, StoredCrumb } from './broker.ts'
import type { EffectiveRights } from './effective-rights.ts'

export interface ApiOptions {
  readonly session: BrokerSession
  readonly rights: EffectiveRights
  readonly toolId: string
  /** Secrets the run was given, by name. */
  readonly secrets: { readonly [name: string]: string }
  /** Ids or names of secrets that the tool's settings name. */
  readonly configuredSecrets: readonly string[]
  readonly invoke: (name: string, input: unknown) => Promise<Outcome>
  readonly warn: (message: string) => void
  /** A secret was handed out and must be scrubbed from now on. */
  readonly onSecret: (name: string, value: string) => void
}

type Operation = (options: ApiOptions, args: readonly Json[]) => Promise<unknown>

/** Answers one request; never throws. */
export async function answerApi(options: ApiOptions, op: string, args: readonly Json[]): Promise<Answer> {
  const known = Object.hasOwn(operations, op) ? operations[op] : undefined
  if (!known)
    return { ok: false, error: failureOf(new ToolError('REQUEST_INVALID', `There is no api.${op}.`), '') }
  try {
    return { ok: true, json: jsonText((await known.run(options, args)) ?? null) }
  } catch (error) {
    return { ok: false, error: failureOf(error, known.failure) }
  }
}

const operations: { readonly [op: string]: { readonly failure: string; readonly run: Operation } } = {
  getBreadcrumb: { failure: 'Failed to get breadcrumb', run: getBreadcrumb },
  createBreadcrumb: { failure: 'Failed to create breadcrumb', run: createBreadcrumb },
  updateBreadcrumb: { failure: 'Failed to update breadcrumb', run: updateBreadcrumb },
  deleteBreadcrumb: { failure: 'Failed to delete breadcrumb', run: deleteBreadcrumb },
  searchBreadcrumbs: { failure: 'Failed to search breadcrumbs', run: searchBreadcrumbs },
  vectorSearch: { failure: 'Failed to search breadcrumbs', run: vectorSearch },
  getSecret: { failure: 'Failed to get secret', run: getSecret },
  callTool: { failure: '', run: callTool },
}

/** How the failure of each operation begins, for what the worker refuses itself. */
export const apiFailures = Object.fromEntries(
  Object.entries(operations).map(([op, { failure }]) => [op, failure]),
)

/** The statuses of what the worker refuses itself. */
export const refusedInWorker = Object.fromEntries(
  (['MALFORMED', 'BODY_TOO_LARGE', 'CALL_OVER'] as const).map((code) => [code, statusOfCode(code)]),
)

async function getBreadcrumb(
  { session, rights, toolId }: ApiOptions,
  [id, options]: readonly Json[],
): Promise<unknown> {
  const crumb = await existing(session, id)
  if (!mayRead(rights, crumb, toolId)) throw unreadable(crumb.schema_name)
  if (isPlainObject(options) && options['full'] === true) return crumb
  return (await session.view(crumb.id)) ?? notFound(crumb.id)
}

async function createBreadcrumb(
  { session, rights }: ApiOptions,
  [body, options]: readonly Json[],
): Promise<unknown> {
  if (!isPlainObject(body))
    throw new ToolError('REQUEST_INVALID', 'a breadcrumb is an object with title and context')
  mustWrite(rights, body['schema_name'])
  const key = isPlainObject(options) ? options['idempotencyKey'] : undefined
  const made = await session.create(
    body as JsonObject,
    typeof key === 'string' ? { idempotencyKey: key } : {},
  )
  return { id: made.id, version: made.version }
}

async function updateBreadcrumb(
  { session, rights, warn }: ApiOptions,
  args: readonly Json[],
): Promise<unknown> {
  const isShort = isPlainObject(args[1])
  const updates = isShort ? args[1] : args[2]
  const version = isShort ? undefined : wholeVersion(args[1])
  if (!isPlainObject(updates)) throw new ToolError('REQUEST_INVALID', 'the updates must be an object')
  if (isShort) warn('updateBreadcrumb was called without a version: the last write wins.')
  const crumb = await existing(session, args[0])
  mustWrite(rights, crumb.schema_name)
  if ('schema_name' in updates) mustWrite(rights, updates['schema_name'])
  // The schema was checked on this very version, so the write is bound to it even when the tool gave none.
  for (let tries = 0; ; tries++) {
    const current = tries === 0 ? crumb : await existing(session, args[0])
    mustWrite(rights, current.schema_name)
    try {
      return await session.update(current.id, version ?? current.version, updates as JsonObject)
    } catch (error) {
      if (version !== undefined || tries >= 20 || codeOf(error) !== 'VERSION_MISMATCH') throw error
    }
  }
}

async function deleteBreadcrumb(
  { session, rights }: ApiOptions,
  [id, version]: readonly Json[],
): Promise<unknown> {
  const crumb = await existing(session, id)
  mustWrite(rights, crumb.schema_name)
  await session.remove(
    crumb.id,
    version === undefined || version === null ? undefined : wholeVersion(version),
  )
  return { ok: true, id: crumb.id }
}

async function searchBreadcrumbs(
  { session, rights, toolId }: ApiOptions,
  [query]: readonly Json[],
): Promise<unknown> {
  const given = isPlainObject(query) ? query : {}
  const schema = textOrUndefined(given['schema_name'])
  mustReadSchema(rights, schema)
  const items = await session.search({
    schema_name: schema,
    tags: tagsOf(given),
    q: typeof given['q'] === 'string' ? given['q'] : undefined,
    limit: typeof given['limit'] === 'number' ? given['limit'] : undefined,
    offset: typeof given['offset'] === 'number' ? given['offset'] : undefined,
    readable:
      schema === ownConfigSchema ? [...rights.breadcrumbs.read, ownConfigSchema] : rights.breadcrumbs.read,
  })
  return items.filter((item) => mayRead(rights, item, toolId))
}

async function vectorSearch(
  { session, rights, toolId }: ApiOptions,
  [query]: readonly Json[],
): Promise<unknown> {
  const given = isPlainObject(query) ? query : {}
  if (typeof given['q'] !== 'string') {
    if (given['qvec'] !== undefined)
      throw new ToolError('VECTOR_UNSUPPORTED', 'searching by a vector is not supported; give the text as q')
    throw new ToolError('REQUEST_INVALID', 'q must be a text')
  }
  const schema = textOrUndefined(given['schema_name'])
  mustReadSchema(rights, schema)
  const items = await session.rank({
    q: given['q'],
    nn: typeof given['nn'] === 'number' ? given['nn'] : 5,
    schema_name: schema,
    tags: tagsOf(given),
    readable: rights.breadcrumbs.read,
  })
  return items.filter((item) => mayRead(rights, item, toolId))
}

async function getSecret(options: ApiOptions, [idOrName, reason]: readonly Json[]): Promise<unknown> {
  const { session, secrets, rights, configuredSecrets, onSecret } = options
  const wanted = textOrUndefined(idOrName)
  if (wanted === undefined) throw new ToolError('REQUEST_INVALID', 'name the secret by id or name')
  const why = typeof reason === 'string' ? reason : 'not given'
  if (Object.hasOwn(secrets, wanted)) {
    session.noteSecret(wanted, why)
    return { value: secrets[wanted] }
  }
  const found = await session.findSecret(wanted)
  const allowed = [...rights.secrets, ...configuredSecrets, ...Object.keys(secrets)]
  const isAllowed = [wanted, found?.id, found?.name].some(
    (name) => name !== undefined && allowed.includes(name),
  )
  if (!isAllowed)
    throw new ToolError('SECRET_DENIED', `the secret "${wanted}" is not among those of this tool`)
  if (!found) throw new ToolError('SECRET_MISSING', `there is no secret "${wanted}"`)
  const value = await session.readSecret(found.id, why)
  onSecret(found.name, value)
  return { value }
}

async function callTool({ rights, invoke }: ApiOptions, [name, input]: readonly Json[]): Promise<unknown> {
  const wanted = textOrUndefined(name)
  if (wanted === undefined) throw new ToolError('REQUEST_INVALID', 'callTool needs the name of a tool')
  if (!coversName(rights.tools, wanted))
    throw new ToolError(
      'TOOL_NOT_ALLOWED',
      `${wanted} is not among the tools this tool may call (permissions.tools)`,
    )
  const outcome = await invoke(wanted, input ?? {})
  if (outcome.ok) return outcome.value
  throw Object.assign(new Error(outcome.error.message), {
    code: outcome.error.code,
    details: outcome.error.details ?? null,
  })
}

const ownConfigSchema = 'tool.config.v1'

function mayRead(rights: EffectiveRights, crumb: JsonObject | StoredCrumb, toolId: string): boolean {
  const schema = textOrUndefined(crumb['schema_name'])
  if (coversName(rights.breadcrumbs.read, schema)) return true
  return schema === ownConfigSchema && isPlainObject(crumb.context) && crumb.context['tool_name'] === toolId
}

function mustReadSchema(rights: EffectiveRights, schema: string | undefined): void {
  if (schema === undefined || schema === ownConfigSchema || coversName(rights.breadcrumbs.read, schema))
    return
  throw unreadable(schema)
}

function unreadable(schema: string | null | undefined): ToolError {
  return new ToolError(
    'CAPABILITY_DENIED',
    `no permission to read ${schema ?? 'breadcrumbs without schema_name'}`,
  )
}

function mustWrite(rights: EffectiveRights, schema: unknown): void {
  const name = typeof schema === 'string' ? schema : null
  if (mayWriteSchema(rights.breadcrumbs.write, name)) return
  throw new ToolError(
    'CAPABILITY_DENIED',
    `no permission to write ${name ?? 'breadcrumbs without schema_name'}`,
  )
}

async function existing(session: BrokerSession, id: Json | undefined): Promise<StoredCrumb> {
  if (typeof id !== 'string' || id === '')
    throw new ToolError('REQUEST_INVALID', 'name the breadcrumb by its id')
  return (await session.get(id)) ?? notFound(id)
}

function notFound(id: string): never {
  throw new ToolError('NOT_FOUND', `there is no breadcrumb ${id}`)
}

function wholeVersion(value: Json | undefined): number {
  if (typeof value === 'number' && Number.isInteger(value)) return value
  throw new ToolError('REQUEST_INVALID', 'the version must be a whole number')
}

function tagsOf(query: Record<string, unknown>): string[] {
  const tags = [query['tag'], ...(Array.isArray(query['tags']) ? query['tags'] : [])]
  return tags.filter((tag): tag is string => typeof tag === 'string')
}

function textOrUndefined(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' ? code : 'INTERNAL'
}

function failureOf(error: unknown, prefix: string): AnswerError {
  const code = codeOf(error)
  const status = statusOfCode(code)
  const given = error as { details?: unknown } | null
  const message = prefix === '' ? messageOf(error) : `${prefix}: ${status} - ${messageOf(error)}`
  return { message, code, status, ...detailsOf(given?.details) }
}

/** A failure whose details cannot be written is told without them. */
function detailsOf(details: unknown): Pick<AnswerError, 'details'> {
  if (details === undefined || details === null) return {}
  try {
    return { details: jsonText(details) }
  } catch {
    return {}
  }
}

/** A tool that runs inside this process may return what JSON cannot hold. */
function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'null'
  } catch (error) {
    throw new ToolError('RESULT_INVALID', `the answer is not JSON: ${messageOf(error)}`)
  }
}
