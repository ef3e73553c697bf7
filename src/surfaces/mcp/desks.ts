// One desk for each set of rights, shared by all requests that come with it.
import type { Crib } from '../../crib/crib.ts'
import type { Identity } from '../http/identity.ts'
import { Desk, type Expose } from './desk.ts'
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

  /** What an identity is offered. */
  of(identity: Identity): Desk {
    const key = rightsOf(identity)
    const known = this.#desks.get(key)
    if (known) return known
    const desk = new Desk(this.#crib, identity, this.#expose, this.#extras)
    if (this.#desks.size >= mostDesks) this.#desks.delete(this.#desks.keys().next().value!)
    this.#desks.set(key, desk)
    return desk
  }
}

/** The identity of a configured token is the same object in every request. */
const rights = new WeakMap<Identity, string>()

/** Tokens of an issuer may have the same name and other scopes from one request to the next. */
export function rightsOf(identity: Identity): string {
  let key = rights.get(identity)
  if (key === undefined) {
    const { name, isAdmin, grants, allowedTools } = identity
    key = JSON.stringify([name, isAdmin, grants ?? null, allowedTools ?? null])
    rights.set(identity, key)
  }
  return key
}
