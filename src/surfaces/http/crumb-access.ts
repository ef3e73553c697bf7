// What a token may do with breadcrumbs and secrets. A token that carries `grants` needs `crumbs.read` and
// `crumbs.write` there (a schema or `prefix.*` after a colon narrows them), `secrets.read` and `secrets.write` for
// secrets. A narrowed token never writes the schemas that steer the crib unless a grant names them.

import { coversName, mayWriteSchema } from '../../formats/tool-code/name-patterns.ts'
import { notFound } from '../../store/crumb-error.ts'
import { coversCapability, parseGrant } from '../../tool/capability.ts'
import { isUnrestricted, type Principal } from '../../tool/principal.ts'
import { HttpProblem } from './problem-json.ts'

/** Runs with the rights of whoever wrote it, so writing one gives nothing away. */
const requestSchema = 'tool.request.v1'

/** The same for one that reads; throws 403 when it may read nothing, whether or not what it asks for is there. */
export function readerOf(principal: Principal): Principal {
  readableSchemas(principal)
  return principal
}

/** Schema patterns this token may read; null for all. Throws 403 when it may read none. */
export function readableSchemas(principal: Principal): readonly string[] | null {
  if (principal.grants === undefined) return null
  const patterns = patternsOf(principal.grants, 'crumbs.read')
  if (patterns.length === 0) throw lacks(principal, 'crumbs.read')
  return patterns.includes('*') ? null : patterns
}

/** What a token may not read does not exist for it. */
export function mustRead(principal: Principal, id: string, schema: string | undefined): void {
  const readable = readableSchemas(principal)
  if (readable !== null && !coversName(readable, schema)) throw notFound(id)
}

/** Throws 403 unless the token may write crumbs of this schema. */
export function mustWrite(principal: Principal, schema: unknown): void {
  if (isUnrestricted(principal)) return
  const name = typeof schema === 'string' ? schema : undefined
  const patterns = principal.grants === undefined ? ['*'] : patternsOf(principal.grants, 'crumbs.write')
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
