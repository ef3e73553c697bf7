// What a token may do with breadcrumbs and secrets. A token that carries `grants` needs `crumbs.read` and
// `crumbs.write` there (a schema or `prefix.*` after a colon narrows them), `secrets.read` and `secrets.write` for
// secrets. A narrowed token never writes the schemas that steer the crib unless a grant names them.

import { coversName, mayWriteSchema } from '../../formats/tool-code/name-patterns.ts'
import { type Actor, defaultOwner } from '../../store/crumb.ts'
import { notFound } from '../../store/crumb-error.ts'
import { coversCapability, parseGrant } from '../../tool/capability.ts'
import { type Identity, isUnrestricted } from './identity.ts'
import { HttpProblem } from './problem-json.ts'

/** Runs with the rights of whoever wrote it, so writing one gives nothing away. */
const requestSchema = 'tool.request.v1'

/** Who reads or writes crumbs with this token. */
export function actorOf(identity: Identity): Actor {
  return { owner: defaultOwner, name: identity.name, isAdmin: identity.isAdmin }
}

/** The same for one that reads; throws 403 when it may read nothing, whether or not what it asks for is there. */
export function readerOf(identity: Identity): Actor {
  readableSchemas(identity)
  return actorOf(identity)
}

/** Schema patterns this token may read; null for all. Throws 403 when it may read none. */
export function readableSchemas(identity: Identity): readonly string[] | null {
  if (identity.grants === undefined) return null
  const patterns = patternsOf(identity.grants, 'crumbs.read')
  if (patterns.length === 0) throw lacks(identity, 'crumbs.read')
  return patterns.includes('*') ? null : patterns
}

/** What a token may not read does not exist for it. */
export function mustRead(identity: Identity, id: string, schema: string | undefined): void {
  const readable = readableSchemas(identity)
  if (readable !== null && !coversName(readable, schema)) throw notFound(id)
}

/** Throws 403 unless the token may write crumbs of this schema. */
export function mustWrite(identity: Identity, schema: unknown): void {
  if (isUnrestricted(identity)) return
  const name = typeof schema === 'string' ? schema : undefined
  const patterns = identity.grants === undefined ? ['*'] : patternsOf(identity.grants, 'crumbs.write')
  if (name === requestSchema ? coversName(patterns, name) : mayWriteSchema(patterns, name)) return
  throw lacks(identity, patterns.length === 0 || name === undefined ? 'crumbs.write' : `crumbs.write:${name}`)
}

/** Throws 403 unless the token may list (`read`) or change (`write`) secrets. */
export function mustHandleSecrets(identity: Identity, what: 'read' | 'write'): void {
  if (isUnrestricted(identity)) return
  const capability = `secrets.${what}`
  const isGranted = (identity.grants ?? []).some((grant) =>
    coversCapability(parseGrant(grant).capability, capability),
  )
  if (!isGranted) throw lacks(identity, capability)
}

function patternsOf(grants: readonly string[], capability: string): string[] {
  return grants
    .map(parseGrant)
    .filter((grant) => coversCapability(grant.capability, capability))
    .map((grant) => grant.scope ?? '*')
}

function lacks(identity: Identity, grant: string): HttpProblem {
  return new HttpProblem(403, 'CAPABILITY_DENIED', `The token "${identity.name}" lacks the grant ${grant}.`, {
    hint: `Add ${grant} to its grants under serve.tokens in toolcrib.yaml; one of \`toolcrib tokens new\` is made anew with --grants.`,
  })
}
