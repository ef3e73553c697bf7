// Who asks, with all the rights that travel with the question. Made once at the edge (CLI, library, HTTP token,
// MCP session, event) and carried through every call; rights are never looked up again by name.

export type Surface = 'cli' | 'mcp' | 'http' | 'library' | 'event' | 'agent' | 'tool' | 'console'

/** An offer as its bearer carries it: the name, and the patterns as they were when the principal was made. */
export interface OfferRight {
  readonly name: string
  readonly tools: readonly string[]
}

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
  /** The selection of tools that this principal is offered; nothing else can be called (D18). */
  readonly offer?: OfferRight
  /** When these rights end, in ISO 8601; absent means never. */
  readonly expiresAt?: string
  /** The rights came with a bearer token and end when that is taken away. */
  readonly isToken?: boolean
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

/** Who a tool is when it calls others: its own allow list binds it, not that of its caller; the grants stay. */
export function asTool(
  caller: Principal,
  tool: string,
  run: string,
  allowedTools: string | undefined,
): Principal {
  return { ...caller, surface: 'tool', tool, run, isAdmin: false, allowedTools, offer: undefined }
}

/** One that may do nothing: its rights are unknown, expired or taken away. */
export function powerless(name: string): Principal {
  return makePrincipal({ surface: 'event', name, grants: [], allowedTools: '' })
}

/** Names that only this crib gives, never a token: they alone say what their bearer may do, which is everything. */
const ownNames = new Set(['crib', 'library', 'operator', 'bootstrap'])

/** What is kept of a principal with what it writes (G16). */
export type Rights = Pick<
  Principal,
  'isAdmin' | 'grants' | 'allowedTools' | 'offer' | 'expiresAt' | 'isToken'
>

/** The rights to keep; undefined where the name says all. */
export function rightsToKeep(principal: Principal): Rights | undefined {
  const { name, isAdmin, grants, allowedTools, offer, expiresAt, isToken } = principal
  if (ownNames.has(name) && isUnrestricted(principal) && !isToken) return undefined
  return { isAdmin, grants, allowedTools, offer, expiresAt, isToken }
}

/** Which tokens there are now. */
export interface KnownTokens {
  /** The token of a name; undefined when there is none, or none any more. */
  named(name: string): Principal | undefined
}

/**
 * What a writer may do now: what it could when it wrote, as long as its time lasts and its token exists. Of one that
 * is known by name only (rows of 0.1.0 tell no more), what a token of that name may; nothing where there is none.
 */
export function standingOf(
  name: string,
  rights: Rights | undefined,
  { tokens, nowMs }: { readonly tokens?: KnownTokens | undefined; readonly nowMs: number },
): Principal {
  const known = tokens?.named(name)
  if (!rights) {
    if (known) return { ...known, surface: 'event', isAdmin: false }
    return ownNames.has(name) ? makePrincipal({ surface: 'event', name }) : powerless(name)
  }
  const isOver = rights.expiresAt !== undefined && Date.parse(rights.expiresAt) <= nowMs
  const isGone = rights.isToken === true && tokens !== undefined && known === undefined
  return isOver || isGone
    ? powerless(name)
    : makePrincipal({ ...rights, surface: 'event', name, isAdmin: false })
}

/** Tells one principal from another; what it calls through tools is still its own. */
export function identityOf({ owner, name, isToken }: Principal): string {
  return JSON.stringify([owner, name, isToken === true])
}

/** True for a call from outside (CLI, MCP, HTTP, an agent), false for one from a tool's code. */
export function isPublic(principal: Principal): boolean {
  return principal.surface !== 'tool'
}

/** True when nothing is kept from this one. */
export function isUnrestricted({ grants, allowedTools, offer }: Principal): boolean {
  return grants === undefined && allowedTools === undefined && offer === undefined
}
