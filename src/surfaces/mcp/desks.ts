// One desk for each set of rights, shared by all requests that come with it.
import type { Config, Expose } from '../../config/config.ts'
import type { Crib } from '../../crib/crib.ts'
import type { Principal } from '../../tool/principal.ts'
import { Desk } from './desk.ts'
import type { McpExtras } from './extras.ts'

const mostDesks = 1_000

export class Desks {
  readonly #crib: Crib
  readonly #expose: Expose
  readonly #extras: McpExtras
  readonly #desks = new Map<string, Desk>()

  constructor(crib: Crib, expose: Expose = 'all', extras: McpExtras = {}) {
    this.#crib = crib
    this.#expose = expose
    this.#extras = extras
  }

  /** What a principal is offered. */
  of(principal: Principal): Desk {
    const expose = exposeOf(principal, this.#crib.config) ?? this.#expose
    const key = `${rightsOf(principal)} ${principal.expiresAt} ${expose}`
    const known = this.#desks.get(key)
    if (known) return known
    const desk = new Desk(this.#crib, principal, expose, this.#extras)
    if (this.#desks.size >= mostDesks) this.#desks.delete(this.#desks.keys().next().value!)
    this.#desks.set(key, desk)
    return desk
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
