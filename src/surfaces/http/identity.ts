// Who a request comes from, what that one may see, and the caller its calls are made as.

import type { Crib } from '../../crib/crib.ts'
import { grantsFor, missingCapability, narrowGrants } from '../../sandbox/tool-grants.ts'
import { parseAllowedTools } from '../../tool/allowed-tools.ts'
import type { Caller, Surface } from '../../tool/caller.ts'
import type { Tool } from '../../tool/tool.ts'

export interface Identity {
  /** Name of the token, shown in records. */
  readonly name: string
  /** May see every run and secret and decide approvals. */
  readonly isAdmin: boolean
  readonly grants?: readonly string[]
  readonly allowedTools?: string
}

/** What a route knows of its request. */
export type HttpEnv = { Variables: { identity: Identity } }

/** The operator at the terminal or behind the crib's own token. */
export const operator: Identity = { name: 'operator', isAdmin: true }

/** True when nothing is kept from this one. */
export function isUnrestricted(identity: Identity): boolean {
  return identity.grants === undefined && identity.allowedTools === undefined
}

/** Whether a list shows the tool: some call of it could be allowed. */
export function maySee(identity: Identity, tool: Tool, crib: Crib): boolean {
  if (identity.allowedTools !== undefined && !parseAllowedTools(identity.allowedTools).couldAllow(tool))
    return false
  if (identity.grants === undefined || tool.requires === null) return true
  const granted = narrowGrants(grantsFor(tool, crib.config), identity.grants)
  return missingCapability(tool.requires, granted) === undefined
}

/** The caller that calls of this one are made as. */
export function callerOf(identity: Identity, surface: Surface): Caller {
  return {
    surface,
    name: identity.name,
    isPublic: true,
    ...(identity.grants === undefined ? {} : { grants: identity.grants }),
    ...(identity.allowedTools === undefined ? {} : { allowedTools: identity.allowedTools }),
  }
}
