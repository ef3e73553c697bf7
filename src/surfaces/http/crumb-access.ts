// What a token may do with breadcrumbs and secrets. A token that carries `grants` needs `crumbs.read` and
// `crumbs.write` there (a schema or `prefix.*` after a colon narrows them), `secrets.read` and `secrets.write` for
// secrets. Schemas that steer the crib are written by admins and by tokens with a grant that names them (G18).

import type { Crib } from '../../crib/crib.ts'
import { coversName, mayWriteSchema } from '../../formats/tool-code/name-patterns.ts'
import type { CrumbEvent } from '../../store/crumb.ts'
import { notFound } from '../../store/store-error.ts'
import { coversCapability, parseGrant } from '../../tool/capability.ts'
import { isPlainObject } from '../../tool/json.ts'
import { isUnrestricted, type Principal } from '../../tool/principal.ts'
import { maySee } from './principals.ts'
import { HttpProblem } from './problem-json.ts'

/** Runs with the rights of whoever wrote it, so writing one gives nothing away. */
const requestSchema = 'tool.request.v1'

/** What may be written without the right to steer: it starts nothing of its own. */
const harmless = new Set([requestSchema, 'tool.response.v1', 'tool.error.v1'])

/** A crumb or an event, as far as it decides who may read it. */
export type Readable = Pick<CrumbEvent, 'schema_name' | 'created_by' | 'context'>

/** The same for one that reads; throws 403 when it may read nothing, whether or not what it asks for is there. */
export function readerOf(principal: Principal): Principal {
  readableSchemas(principal)
  return principal
}

/** Schema patterns this token may read; null for all. Throws 403 when it may read none. */
export function readableSchemas(principal: Principal): readonly string[] | null {
  if (principal.grants === undefined) return principal.offer ? ['tool.*'] : null
  const patterns = patternsOf(principal.grants, 'crumbs.read')
  if (patterns.length === 0) throw lacks(principal, 'crumbs.read')
  return patterns.includes('*') ? null : patterns
}

/**
 * Which crumbs and events a token may read. A narrowed one sees `tool.*` only of its own requests and of the tools it
 * may call, and schedules and `system.*` of its own where no grant says more (G17). Throws 403 when it may read none.
 */
export function readerFor(principal: Principal, crib: Crib): (crumb: Readable) => boolean {
  const readable = readableSchemas(principal)
  if (isUnrestricted(principal)) return () => true
  const kept = principal.grants === undefined ? ['tool.*', 'schedule.*', 'system.*'] : ['tool.*']
  return (crumb) =>
    (readable === null || coversName(readable, crumb.schema_name)) &&
    (!coversName(kept, crumb.schema_name) || isOwnOrCallable(crumb, principal, crib))
}

/** What a request leads to is written in the name of whoever made it. */
function isOwnOrCallable(crumb: Readable, principal: Principal, crib: Crib): boolean {
  if (crumb.created_by === principal.name) return true
  const context = isPlainObject(crumb.context) ? crumb.context : {}
  const names: Record<string, unknown> = {
    'tool.code.v1': context['name'],
    'tool.config.v1': context['tool_name'],
  }
  const name = names[crumb.schema_name ?? '']
  const tool = crib.catalog.tools.find((one) => one.id === name)
  return tool !== undefined && maySee(principal, tool, crib)
}

/** What a token may not read does not exist for it. */
export function mustRead(principal: Principal, crumb: Readable & { readonly id: string }, crib: Crib): void {
  if (!readerFor(principal, crib)(crumb)) throw notFound(crumb.id)
}

/** Throws 403 unless the token may write crumbs of this schema. */
export function mustWrite(principal: Principal, schema: unknown): void {
  const name = typeof schema === 'string' ? schema : undefined
  const isPlain = mayWriteSchema(['*'], name) || harmless.has(name ?? '')
  if (isUnrestricted(principal) && (principal.isAdmin || isPlain)) return
  const patterns = principal.grants ? patternsOf(principal.grants, 'crumbs.write') : without(principal)
  if (name === requestSchema ? coversName(patterns, name) : mayWriteSchema(patterns, name)) return
  throw lacks(
    principal,
    patterns.length === 0 || name === undefined ? 'crumbs.write' : `crumbs.write:${name}`,
  )
}

/** Throws 403 unless the token may list (`read`) or change (`write`) secrets. */
export function mustHandleSecrets(principal: Principal, what: 'read' | 'write'): void {
  if (isUnrestricted(principal)) return
  const capability = `secrets.${what}`
  const isGranted = (principal.grants ?? []).some((grant) =>
    coversCapability(parseGrant(grant).capability, capability),
  )
  if (!isGranted) throw lacks(principal, capability)
}

/** What a token without grants writes: one that was made for an offer reaches its tools and nothing else (D18). */
function without({ offer }: Principal): string[] {
  return offer ? [requestSchema] : ['*']
}

function patternsOf(grants: readonly string[], capability: string): string[] {
  return grants
    .map(parseGrant)
    .filter((grant) => coversCapability(grant.capability, capability))
    .map((grant) => grant.scope ?? '*')
}

function lacks(principal: Principal, grant: string): HttpProblem {
  return new HttpProblem(
    403,
    'CAPABILITY_DENIED',
    `The token "${principal.name}" lacks the grant ${grant}.`,
    {
      hint: `Add ${grant} to its grants under serve.tokens in toolcrib.yaml; one of \`toolcrib tokens new\` is made anew with --grants.`,
    },
  )
}
