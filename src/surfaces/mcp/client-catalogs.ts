// One catalog for each set of rights, shared by all requests that come with it.
import type { Config, Expose } from '../../config/config.ts'
import type { Crib } from '../../crib/crib.ts'
import type { Principal } from '../../tool/principal.ts'
import { ClientCatalog } from './client-catalog.ts'
import type { McpExtras } from './extras.ts'

const maxCatalogs = 1_000

export class ClientCatalogs {
  readonly #crib: Crib
  readonly #expose: Expose
  readonly #extras: McpExtras
  readonly #catalogs = new Map<string, ClientCatalog>()

  constructor(crib: Crib, expose: Expose = 'all', extras: McpExtras = {}) {
    this.#crib = crib
    this.#expose = expose
    this.#extras = extras
  }

  /** What a principal is offered. */
  of(principal: Principal): ClientCatalog {
    const expose = exposeOf(principal, this.#crib.config) ?? this.#expose
    const key = `${rightsOf(principal)} ${principal.expiresAt} ${expose}`
    const known = this.#catalogs.get(key)
    if (known) return known
    const clientCatalog = new ClientCatalog(this.#crib, principal, expose, this.#extras)
    if (this.#catalogs.size >= maxCatalogs) this.#catalogs.delete(this.#catalogs.keys().next().value!)
    this.#catalogs.set(key, clientCatalog)
    return clientCatalog
  }
}

/** What the offer of a principal says about how its tools are shown. */
export function exposeOf({ offer }: Principal, { offers }: Config): Expose | undefined {
  return offer && offers[offer.name]?.expose
}

/** The principal of a configured token is the same object in every request. */
const rights = new WeakMap<Principal, string>()

/** Tokens of an issuer may have the same name and other scopes from one request to the next. */
export function rightsOf(principal: Principal): string {
  let key = rights.get(principal)
  if (key === undefined) {
    const { name, isAdmin, grants, allowedTools, offer } = principal
    key = JSON.stringify([name, isAdmin, grants ?? null, allowedTools ?? null, offer ?? null])
    rights.set(principal, key)
  }
  return key
}
