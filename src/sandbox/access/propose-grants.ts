// The only place that makes a proposal: the smallest scoped grants for what a tool reached for, what is not proposed and
// why, and what that changes in toolcrib.yaml. `learn`, `grants`, the hint of a denial, `why` and the console use it.
import { homedir } from 'node:os'
import { join, posix } from 'node:path'
import type { Config } from '../../config/config.ts'
import type { Spaces } from '../../config/spaces.ts'
import { isInside, pathWithin } from '../../files/is-inside.ts'
import { languageOf } from '../../formats/script-language.ts'
import { isObserved } from '../../tool/capabilities.ts'
import { coversCapability, parseGrant } from '../../tool/capability.ts'
import type { Finding } from '../../tool/finding.ts'
import type { Tool } from '../../tool/tool.ts'
import type { ProtectedSet } from '../../trust/protected-set.ts'
import { madeOfReason } from '../../trust/protected-tools.ts'
import { isPublicAddress, parseAddress } from '../addresses.ts'
import { hiddenPlaces, makeProfile } from '../make-profile.ts'
import { isListed } from '../network-access.ts'
import { scopeFault } from '../scope-path.ts'
import { grantsFor, grantsNeeded } from '../tool-grants.ts'
import { type Access, hostAndPort } from './access.ts'
import { isWithin, type SeenPath, scopesOf, sensitiveInside } from './path-grants.ts'
import { whySensitiveHost, whySensitivePath } from './sensitive.ts'

export interface Proposal {
  readonly tool: string
  /** The smallest that covers what was reached for, in code-unit order. */
  readonly grants: readonly string[]
  /** Those of them that the tool does not have yet. */
  readonly missing: readonly string[]
  readonly refused: readonly Refused[]
}

/** What is not proposed. */
export interface Refused {
  readonly what: string
  readonly why: string
}

export interface ProposalEnv {
  readonly config: Config
  readonly spaces: Spaces
  readonly protectedSet: ProtectedSet
  /** A person wants sensitive places proposed too. */
  readonly isSensitiveWanted?: boolean | undefined
  /** All hosts that its code reaches, where reading tells them. */
  readonly hosts?: readonly string[] | undefined
}

/** The hosts that code reaches, each with its port; undefined where one of them is not known. */
export function hostsOf(findings: readonly Finding[]): string[] | undefined {
  const found = findings.filter(({ capability }) => capability === 'net.http')
  const names = found.flatMap(({ detail, certainty, port = 443 }) =>
    certainty === 'exact' && detail !== undefined && !detail.includes('*')
      ? [/:\d+$/.test(detail) ? detail : `${detail}:${port}`]
      : [],
  )
  return found.length > 0 && names.length === found.length ? [...new Set(names)] : undefined
}

export function proposeGrants(tool: Tool, accesses: readonly Access[], env: ProposalEnv): Proposal {
  const refused = new Map<string, string>()
  const gather = new Gathering(tool, env, refused)
  for (const access of accesses) gather.add(access)
  const grants = gather.grants()
  const present = grantsFor(tool, env.config)
  return {
    tool: tool.id,
    grants,
    missing: grants.filter((grant) => !present.some((own) => coversGrant(own, grant))),
    refused: [...refused].map(([what, why]) => ({ what, why })).sort((a, b) => (a.what < b.what ? -1 : 1)),
  }
}

/** Whether all that one grant gives is given by another. */
export function coversGrant(wide: string, narrow: string): boolean {
  const outer = parseGrant(wide)
  const inner = parseGrant(narrow)
  if (!coversCapability(outer.capability, inner.capability)) return false
  if (outer.scope === undefined || outer.scope === inner.scope)
    return outer.scope === inner.scope || !isPrivateHost(inner.capability, inner.scope)
  if (inner.scope === undefined) return false
  if (inner.capability.startsWith('fs.')) return isWithin(inner.scope, outer.scope)
  const [, host, port] = /^(.*?)(?::(\d+))?$/.exec(inner.scope)!
  return port !== undefined && isListed({ mode: 'hosts', hosts: [outer.scope] }, host!, Number(port))
}

/** A plain grant opens public addresses only. */
function isPrivateHost(capability: string, scope: string | undefined): boolean {
  if (!capability.startsWith('net.') || scope === undefined) return false
  const host = bareHost(scope)
  const address = parseAddress(host)
  return host === 'localhost' || (address !== null && !isPublicAddress(address))
}

/** Sorts what was reached for into grants and refusals. */
class Gathering {
  readonly #tool: Tool
  readonly #env: ProposalEnv
  readonly #refused: Map<string, string>
  readonly #read: SeenPath[] = []
  readonly #write: SeenPath[] = []
  readonly #made = new Set<string>()
  readonly #plain = new Set<string>()
  readonly #home = homedir()

  constructor(tool: Tool, env: ProposalEnv, refused: Map<string, string>) {
    this.#tool = tool
    this.#env = env
    this.#refused = refused
  }

  add(access: Access): void {
    const { kind, what } = access
    if (kind === 'host') this.#host(access)
    else if (kind === 'program') this.#program()
    else if (kind === 'call') this.#plain.add(`rye.execute.tool.${what.replaceAll('/', '.')}`)
    else if (kind === 'limit') return
    else if (kind === 'variable') this.#variable(access)
    else if (kind === 'capability') for (const grant of this.#needed(what)) this.#plain.add(grant)
    else this.#path(access)
  }

  grants(): string[] {
    const { project } = this.#env.spaces
    // The fence makes a granted folder that is missing, so who makes one and fills it needs that folder alone.
    const filled = new Set([...this.#made].map((path) => posix.dirname(path)))
    const folders = [...this.#made]
      .filter((path) => !filled.has(path))
      .map((path) => ({ path: posix.dirname(path), isFolder: true }))
    const write = this.#opened('fs.write', scopesOf([...this.#write, ...folders], project))
    const read = this.#opened('fs.read', scopesOf(this.#read, project)).filter(
      (scope) => !write.some((outer) => isWithin(scope, outer)),
    )
    const found = [
      ...read.map((scope) => grantOf('fs.read', scope)),
      ...write.map((scope) => grantOf('fs.write', scope)),
      ...this.#plain,
    ]
    // What the definition requires must be granted for it to start, and a scope is enough.
    const required = (this.#tool.requires ?? []).flatMap((need) => {
      const { capability } = parseGrant(need)
      const isMet = found.some((grant) => coversCapability(parseGrant(grant).capability, capability))
      return isMet || isObserved(capability) ? [] : this.#needed(need)
    })
    return [...new Set([...found, ...required])].filter((grant) => this.#isUsable(grant)).sort()
  }

  #needed(capability: string): string[] {
    const stated = grantsNeeded(this.#tool, capability)
    if (capability !== 'net.http' || !stated.includes(capability)) return stated
    const hosts = (this.#env.hosts ?? []).filter((host) => this.#mayReach(host))
    return hosts.length > 0 ? hosts.map((host) => `net.http:${host}`) : stated
  }

  /** A tool that states its needs gets nothing beyond them, whatever is granted. */
  #isUsable(grant: string): boolean {
    const { capability } = parseGrant(grant)
    const needs = this.#tool.requires
    const isStated =
      needs === null || needs.some((need) => coversCapability(parseGrant(need).capability, capability))
    if (!isStated)
      this.#refuse(grant, `its definition does not require ${capability}; add it to \`requires\` first`)
    return isStated
  }

  /** Whether a host, and the address that its name led to, may be proposed. */
  #mayReach(what: string, address?: string): boolean {
    const why = whySensitiveHost(bareHost(what)) ?? (address && whySensitiveHost(address))
    if (!why || this.#env.isSensitiveWanted) return true
    this.#refuse(what, why)
    return false
  }

  #host({ what, address, isDenied }: Access): void {
    const port = /:(\d+)$/.exec(what)?.[1]
    const bare = bareHost(what)
    if (!this.#mayReach(what, address)) return
    if (isDenied && address !== undefined && address === bare)
      return this.#refuse(what, 'it connects past the proxy, which no grant opens')
    const led = address === undefined ? null : parseAddress(address)
    // A name that leads to a private address is opened by the address alone.
    const isPrivate = led !== null && !isPublicAddress(led) && bare !== 'localhost'
    this.#plain.add(`net.http:${isPrivate ? hostAndPort(address!, Number(port)) : what}`)
  }

  #variable({ what, isDenied }: Access): void {
    if (!isDenied) return
    this.#refuse(
      what,
      'no grant opens a variable; env.expose gives it to every tool, a secret of that name to those that name it',
    )
  }

  #program(): void {
    const { config, spaces, protectedSet } = this.#env
    if (!makeProfile(this.#tool, [], { config, spaces, protectedSet }).subprocess)
      this.#plain.add('shell.execute')
  }

  #path({ kind, what }: Access): void {
    const { spaces, protectedSet, isSensitiveWanted } = this.#env
    const full = posix.resolve(spaces.project, what)
    const isOurs = isInside(full, spaces.project)
    const why = isOurs ? whySensitivePath(what) : whySensitivePath(what, this.#home)
    if (!isOurs) {
      const opens =
        scopeFault(full) === undefined ? 'only a grant that you write opens it' : 'no grant opens it'
      return this.#refuse(what, `${why ?? 'it lies outside the crib'}; ${opens}`)
    }
    if (hiddenPlaces(spaces).some((place) => isInside(full, place)))
      return this.#refuse(what, 'the crib keeps its own things there; no grant opens it')
    if (why !== undefined && !isSensitiveWanted) return this.#refuse(what, why)
    if (kind === 'read' || kind === 'list') {
      this.#read.push({ path: what, isFolder: kind === 'list' })
      return
    }
    const place = protectedSet.why(full)
    if (place?.isFixed) return this.#refuse(what, `${place.reason}; no grant opens it`)
    // Data that it keeps beside its script counts as a part of it. The file by itself is opened, never its folder.
    if (place?.reason === madeOfReason(this.#tool) && !isCode(what))
      return void this.#plain.add(grantOf('fs.write', what))
    if (place && !isSensitiveWanted) return this.#refuse(what, `it is protected: ${place.reason}`)
    if (kind === 'make') this.#made.add(what)
    else this.#write.push({ path: what, isFolder: false })
  }

  /** The scopes that may be proposed: those that can be written down, and hold nothing sensitive by the way. */
  #opened(capability: string, scopes: readonly string[]): string[] {
    const { spaces, isSensitiveWanted } = this.#env
    return scopes.filter((scope) => {
      const fault = scope === '' ? undefined : scopeFault(scope)
      if (fault !== undefined) this.#refuse(`${capability}:${scope}`, `such a scope ${fault}`)
      if (fault !== undefined || isSensitiveWanted || !(scope === '' || scope.endsWith('/**')))
        return fault === undefined
      const inside = sensitiveInside(join(spaces.project, scope.replace(/\*\*$/, '')))
      if (inside !== undefined)
        this.#refuse(grantOf(capability, scope), `it would open ${pathWithin(inside, spaces.project)}`)
      return inside === undefined
    })
  }

  #refuse(what: string, why: string): void {
    this.#refused.set(what, why)
  }
}

/** Without port and brackets. */
function bareHost(what: string): string {
  return what.replace(/:\d+$/, '').replace(/^\[|\]$/g, '')
}

function isCode(path: string): boolean {
  return languageOf(path, undefined) !== 'other' || posix.extname(path) === ''
}

function grantOf(capability: string, scope: string): string {
  return scope === '' ? capability : `${capability}:${scope}`
}
