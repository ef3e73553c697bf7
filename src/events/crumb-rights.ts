// Which breadcrumbs a principal may read and write, whatever it asks by: a route, or a tool that works in its name. One
// that carries `grants` needs `crumbs.read` and `crumbs.write` there (a schema or `prefix.*` after a colon narrows them).
// Schemas that steer the crib are written by admins and by those with a grant that names them (G18).
import { coversName, mayWriteSchema } from '../formats/tool-code/name-patterns.ts'
import type { CrumbEvent } from '../store/crumb.ts'
import { coversCapability, parseGrant } from '../tool/capability.ts'
import { isPlainObject } from '../tool/json.ts'
import { isUnrestricted, type Principal } from '../tool/principal.ts'
import { ToolError } from '../tool/tool-error.ts'

/** Runs with the rights of whoever wrote it, so writing one gives nothing away. */
export const requestSchema = 'tool.request.v1'

/** What may be written without the right to steer: it starts nothing of its own. */
const harmless = new Set([requestSchema, 'tool.response.v1', 'tool.error.v1'])

/** A crumb or an event, as far as it decides who may read it. */
export type Readable = Pick<CrumbEvent, 'schema_name' | 'created_by' | 'context'>

/** Whether this one may call the tool of a name. */
export type MayCall = (tool: string) => boolean

/** Schema patterns that the grants let this one read; null for all. Throws CAPABILITY_DENIED when it may read none. */
export function grantedSchemas(principal: Principal): readonly string[] | null {
  if (principal.grants === undefined) return null
  const patterns = patternsOf(principal.grants, 'crumbs.read')
  if (patterns.length === 0) throw lacks(principal, 'crumbs.read')
  return patterns.includes('*') ? null : patterns
}

/**
 * Which crumbs and events this one may read. A narrowed one sees `tool.*` only of its own requests and of the tools it
 * may call, and schedules and `system.*` of its own where no grant says more (G17).
 */
export function readerFor(
  principal: Principal,
  mayCall: MayCall,
  readable = grantedSchemas(principal),
): (crumb: Readable) => boolean {
  if (isUnrestricted(principal)) return () => true
  const kept = principal.grants === undefined ? ['tool.*', 'schedule.*', 'system.*'] : ['tool.*']
  return (crumb) =>
    (readable === null || coversName(readable, crumb.schema_name)) &&
    (!coversName(kept, crumb.schema_name) || isOwnOrCallable(crumb, principal, mayCall))
}

/** What a request leads to is written in the name of whoever made it. */
function isOwnOrCallable(crumb: Readable, principal: Principal, mayCall: MayCall): boolean {
  if (crumb.created_by === principal.name) return true
  const context = isPlainObject(crumb.context) ? crumb.context : {}
  const names: Record<string, unknown> = {
    'tool.code.v1': context['name'],
    'tool.config.v1': context['tool_name'],
  }
  const name = names[crumb.schema_name ?? '']
  return typeof name === 'string' && mayCall(name)
}

/** Throws CAPABILITY_DENIED unless the patterns, or else the grants, let this one write crumbs of this schema. */
export function mustWriteAs(
  principal: Principal,
  schema: unknown,
  patterns = principal.grants ? patternsOf(principal.grants, 'crumbs.write') : ['*'],
): void {
  const name = typeof schema === 'string' ? schema : undefined
  if (name === requestSchema ? coversName(patterns, name) : mayWriteSchema(patterns, name)) return
  const grant = patterns.length === 0 || name === undefined ? 'crumbs.write' : `crumbs.write:${name}`
  throw lacks(principal, grant)
}

/** Whether a schema steers nothing, so that whoever is bound by nothing may write it. */
export function isPlainSchema(schema: unknown): boolean {
  const name = typeof schema === 'string' ? schema : undefined
  return harmless.has(name ?? '') || mayWriteSchema(['*'], name)
}

export function patternsOf(grants: readonly string[], capability: string): string[] {
  return grants
    .map(parseGrant)
    .filter((grant) => coversCapability(grant.capability, capability))
    .map((grant) => grant.scope ?? '*')
}

export function lacks(principal: Principal, grant: string): ToolError {
  return new ToolError('CAPABILITY_DENIED', `The token "${principal.name}" lacks the grant ${grant}.`, {
    hint: `Add ${grant} to its grants under serve.tokens in toolcrib.yaml; one of \`toolcrib tokens new\` is made anew with --grants.`,
  })
}
