// All connections of one crib, used by every tool that reaches the same server with the same rights. Each serves one
// principal, unless the entry of its server says `shared: true` (G23).
import type { Profile } from '../../sandbox/profile.ts'
import { jsonDigest } from '../../tool/json.ts'
import { identityOf, type Principal } from '../../tool/principal.ts'
import { NetGuard } from '../net-guard.ts'
import type { RuntimeEnv } from '../runtime.ts'
import { Connection } from './connection.ts'
import type { ForeignLog } from './foreign-log.ts'
import { ServerLogs } from './server-log.ts'
import type { ServerTarget } from './server-target.ts'

const idleMs = 5 * 60 * 1000

/** What a server logged aside from every call, and whose connection it is. */
export interface LoggedAside extends ForeignLog {
  readonly server: string
  readonly user: string
}

/** One that served nobody but the crib itself has no user; the first principal who needs it takes it. */
interface Held {
  readonly connection: Connection
  user: string | undefined
  isLocal: boolean
}

export class Connections {
  /** Told the name of a server one of whose lists changed. */
  onListChanged?: (server: string) => void
  /** Told the name of a server whose connection ended. */
  onClosed?: (server: string) => void
  /** Told what a server logs that belongs to no call; of those that serve everybody nobody hears. */
  onLoggedAside?: (said: LoggedAside) => void
  readonly logs = new ServerLogs()
  readonly #env: RuntimeEnv
  readonly #open = new Map<string, Held[]>()
  readonly #guard = new NetGuard()
  #sweep: NodeJS.Timeout | undefined
  #users = 0

  constructor(env: RuntimeEnv) {
    this.#env = env
  }

  /**
   * The connection to a server under a profile; it connects when it is first used. Without a principal the crib itself
   * asks: it takes one that serves nobody yet or a local user, never one that a token may have talked to.
   */
  to(target: ServerTarget, profile: Profile, principal?: Principal): Connection {
    const key = `${digestOf(target)} ${digestOf(profile)}`
    const open = this.#open.get(key) ?? []
    const user = target.isShared || !principal ? undefined : identityOf(principal)
    const found =
      target.isShared === true
        ? open[0]
        : user === undefined
          ? open.find((held) => held.user === undefined || held.isLocal)
          : (open.find((held) => held.user === user) ?? open.find((held) => held.user === undefined))
    const held = found ?? { connection: this.#connect(target, profile), user, isLocal: false }
    if (user !== undefined) Object.assign(held, { user, isLocal: principal!.isToken !== true })
    if (!found) {
      this.#open.set(key, [...open, held])
      held.connection.onLoggedAside = (said) => {
        if (held.user !== undefined) this.onLoggedAside?.({ ...said, server: target.name, user: held.user })
      }
    }
    return held.connection
  }

  #connect(target: ServerTarget, profile: Profile): Connection {
    const connection = new Connection(target, profile, this.#env, this.#guard)
    connection.onListChanged = () => this.onListChanged?.(target.name)
    connection.onClosed = () => {
      this.logs.add(target.name, 'crib', 'disconnected')
      this.onClosed?.(target.name)
    }
    connection.onOpened = () => this.logs.add(target.name, 'crib', 'connected')
    connection.onSaid = (text) => this.logs.add(target.name, 'server', text)
    this.#sweep ??= setInterval(
      () => void this.#closeThose(({ connection }) => isIdle(connection)),
      60_000,
    ).unref()
    return connection
  }

  /** Tells the servers of a principal that its folders changed; those that serve everybody do not say whose they ask for. */
  async rootsChanged(principal: Principal, ask: () => Promise<unknown>): Promise<void> {
    const user = identityOf(principal)
    const own = [...this.#open.values()].flat().filter((held) => held.user === user)
    await Promise.all(own.map(({ connection }) => connection.rootsChanged(ask)))
  }

  /** Ends every connection to a server; the next who needs it connects anew. */
  async close(server: string): Promise<void> {
    await this.#closeThose(({ connection }) => connection.target.name === server)
  }

  async closeAll(): Promise<void> {
    await this.#closeThose(() => true)
  }

  join(): void {
    this.#users++
  }

  /** Closes everything once the last of those who joined has left. */
  async leave(): Promise<void> {
    if (--this.#users > 0) return
    clearInterval(this.#sweep)
    this.#sweep = undefined
    const open = [...this.#open.values()].flat()
    this.#open.clear()
    await Promise.all(open.map(({ connection }) => connection.close()))
    this.#guard.close()
  }

  async #closeThose(isMeant: (held: Held) => boolean): Promise<void> {
    const closed: Promise<void>[] = []
    for (const [key, open] of this.#open) {
      const rest = open.filter((held) => !isMeant(held))
      if (rest.length > 0) this.#open.set(key, rest)
      else this.#open.delete(key)
      closed.push(...open.filter(isMeant).map(({ connection }) => connection.close()))
    }
    await Promise.all(closed)
  }
}

const digests = new WeakMap<object, string>()

/** Targets and profiles are the same objects in many calls. */
function digestOf(data: ServerTarget | Profile): string {
  let digest = digests.get(data)
  if (digest === undefined) {
    digest = jsonDigest(data)
    digests.set(data, digest)
  }
  return digest
}

function isIdle({ isInUse, lastUsedMs }: Connection): boolean {
  return !isInUse && Date.now() - lastUsedMs >= idleMs
}

const byCrib = new WeakMap<object, Connections>()

/** The connections of the crib an environment belongs to; its supervisor stands for the crib. */
export function connectionsOf(env: RuntimeEnv): Connections {
  let connections = byCrib.get(env.supervisor)
  if (!connections) {
    connections = new Connections(env)
    byCrib.set(env.supervisor, connections)
  }
  return connections
}
