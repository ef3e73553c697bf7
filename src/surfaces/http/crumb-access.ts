// What a token may do with breadcrumbs and secrets over HTTP: what its principal may, and what an offer leaves of it.
// Secrets need `secrets.read` and `secrets.write` where a token carries grants.

import type { Crib } from '../../crib/crib.ts'
import {
  readerFor as crumbReader,
  grantedSchemas,
  isPlainSchema,
  lacks,
  mustWriteAs,
  patternsOf,
  type Readable,
  requestSchema,
} from '../../events/crumb-rights.ts'
import { notFound } from '../../store/store-error.ts'
import { isUnrestricted, type Principal } from '../../tool/principal.ts'
import { maySee } from './principals.ts'

/** The same for one that reads; throws when it may read nothing, whether or not what it asks for is there. */
export function readerOf(principal: Principal): Principal {
  readableSchemas(principal)
  return principal
}

/** Schema patterns this token may read; null for all. Throws CAPABILITY_DENIED when it may read none. */
export function readableSchemas(principal: Principal): readonly string[] | null {
  return principal.offer && !principal.grants ? ['tool.*'] : grantedSchemas(principal)
}

/** Which crumbs and events a token may read. Throws when it may read none. */
export function readerFor(principal: Principal, crib: Crib): (crumb: Readable) => boolean {
  const mayCall = (id: string) => {
    const tool = crib.catalog.tools.find((one) => one.id === id)
    return tool !== undefined && maySee(principal, tool, crib)
  }
  return crumbReader(principal, mayCall, readableSchemas(principal))
}

/** What a token may not read does not exist for it. */
export function mustRead(principal: Principal, crumb: Readable & { readonly id: string }, crib: Crib): void {
  if (!readerFor(principal, crib)(crumb)) throw notFound(crumb.id)
}

/** Throws CAPABILITY_DENIED unless the token may write crumbs of this schema. */
export function mustWrite(principal: Principal, schema: unknown): void {
  if (isUnrestricted(principal) && (principal.isAdmin || isPlainSchema(schema))) return
  // One that was made for an offer reaches its tools and nothing else (D18).
  const onlyAsks = principal.offer !== undefined && principal.grants === undefined
  mustWriteAs(principal, schema, onlyAsks ? [requestSchema] : undefined)
}

/** Throws CAPABILITY_DENIED unless the token may list (`read`) or change (`write`) secrets. */
export function mustHandleSecrets(principal: Principal, what: 'read' | 'write'): void {
  if (isUnrestricted(principal)) return
  const capability = `secrets.${what}`
  if (patternsOf(principal.grants ?? [], capability).length === 0) throw lacks(principal, capability)
}
