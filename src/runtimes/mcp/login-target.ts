// A foreign server as its log-in is asked for: where it is, how its entry says it is logged in to, and for whom.
import type { NetworkRule } from '../../sandbox/profile.ts'
import { libraryPrincipal, type Principal } from '../../tool/principal.ts'
import type { LoginTarget } from '../server-logins.ts'
import type { ServerTarget } from './server-target.ts'

export type HttpTarget = ServerTarget & { readonly kind: 'http' }

/** The target with the log-in of a principal. */
export function forPrincipal(target: ServerTarget, principal: Principal = libraryPrincipal): ServerTarget {
  if (target.kind !== 'http') return target
  return { ...target, login: { user: target.auth?.per === 'user' ? userOf(principal) : undefined } }
}

/** Whoever has a token is somebody of their own; everybody else is the user of this machine. */
function userOf({ name, isToken }: Principal): string {
  return isToken ? `token ${name}` : 'local'
}

/** Undefined for one that runs here, and for one whose entry has its credentials in a header. */
export function loginTargetOf(target: ServerTarget, network: NetworkRule): LoginTarget | undefined {
  if (target.kind !== 'http' || !target.login) return undefined
  const { name, url, auth, login, headers, ownHost } = target
  const hasOwn = Object.keys(headers).some((header) => header.toLowerCase() === 'authorization')
  if (hasOwn && !auth) return undefined
  const granted = network.mode === 'none' ? [] : network.hosts
  return { name, url, auth, user: login.user, hosts: ownHost === null ? granted : [...granted, ownHost] }
}
