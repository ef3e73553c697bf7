// Who asks, with all the rights that travel with the question. Made once at the edge (CLI, library, HTTP token,
// MCP session, event) and carried through every call; rights are never looked up again by name.

export type Surface = 'cli' | 'mcp' | 'http' | 'library' | 'event' | 'agent' | 'tool' | 'console'

export interface Principal {
  /** The person, token or agent behind the call, by name, never by secret. */
  readonly name: string
  /** Whose breadcrumbs, secrets and runs these are. */
  readonly owner: string
  readonly surface: Surface
  /** May see every run and secret and decide approvals. */
  readonly isAdmin: boolean
  /** Grants that narrow what the crib grants; absent means all the crib grants. */
  readonly grants?: readonly string[]
  /** The allow list that binds this principal; absent means no restriction. */
  readonly allowedTools?: string
  /** When these rights end, in ISO 8601; absent means never. */
  readonly expiresAt?: string
  /** Id of the tool that asks, when a tool does. */
  readonly tool?: string
  /** The run of that tool. */
  readonly run?: string
  /** Id of the event that began all this, when one did. */
  readonly root?: string
  /** How many runs lie between this and what began it. */
  readonly depth: number
}

export const defaultOwner = 'local'

/**
 * A principal with the usual values where none are given: named after its surface, not an admin, bound by nothing.
 *
 * @example
 * ```ts
 * import { makePrincipal } from 'toolcrib'
 *
 * const ada = makePrincipal({ surface: 'http', name: 'ada', grants: ['fs.read'] })
 * ada.isAdmin // false
 * ```
 */
export function makePrincipal(given: Partial<Principal> & Pick<Principal, 'surface'>): Principal {
  return { name: given.surface, owner: defaultOwner, isAdmin: false, depth: 0, ...given }
}

/** A program that uses the library. */
export const libraryPrincipal: Principal = makePrincipal({ surface: 'library', isAdmin: true })

/** The crib itself: ticks, reports, catalogs and seeds. */
export const cribPrincipal: Principal = makePrincipal({ surface: 'event', name: 'crib', isAdmin: true })

/** One that may do nothing: its rights are unknown, expired or taken away. */
export function powerless(name: string): Principal {
  return makePrincipal({ surface: 'event', name, grants: [], allowedTools: '' })
}

/** True for a call from outside (CLI, MCP, HTTP, an agent), false for one from a tool's code. */
export function isPublic(principal: Principal): boolean {
  return principal.surface !== 'tool'
}

/** True when nothing is kept from this one. */
export function isUnrestricted({ grants, allowedTools }: Principal): boolean {
  return grants === undefined && allowedTools === undefined
}
