// All connections of one crib, shared by every tool that reaches the same server with the same rights.
import type { Profile } from '../../sandbox/profile.ts'
import { jsonDigest } from '../../tool/json.ts'
import { NetGuard } from '../net-guard.ts'
import type { RuntimeEnv } from '../runtime.ts'
import { Connection } from './connection.ts'
import type { ServerTarget } from './server-target.ts'

const idleMs = 5 * 60 * 1000

export class Connections {
  /** Told the name of a server whose tools changed. */
  onToolsChanged?: (server: string) => void
  /** Told the name of a server whose connection ended. */
  onClosed?: (server: string) => void
  readonly #env: RuntimeEnv
  readonly #open = new Map<string, Connection>()
  readonly #guard = new NetGuard()
  #sweep: NodeJS.Timeout | undefined
  #users = 0

  constructor(env: RuntimeEnv) {
    this.#env = env
  }

  /** The connection to a server under a profile; it connects when it is first used. */
  to(target: ServerTarget, profile: Profile): Connection {
    const key = jsonDigest([target, profile])
    let connection = this.#open.get(key)
    if (!connection) {
      connection = new Connection(target, profile, this.#env, this.#guard)
      connection.onToolsChanged = () => this.onToolsChanged?.(target.name)
      connection.onClosed = () => this.onClosed?.(target.name)
      this.#open.set(key, connection)
      this.#sweep ??= setInterval(() => this.#closeIdle(), 60_000).unref()
    }
    return connection
  }

  join(): void {
    this.#users++
  }

  /** Closes everything once the last of those who joined has left. */
  async leave(): Promise<void> {
    if (--this.#users > 0) return
    clearInterval(this.#sweep)
    this.#sweep = undefined
    const open = [...this.#open.values()]
    this.#open.clear()
    await Promise.all(open.map((connection) => connection.close()))
    this.#guard.close()
  }

  #closeIdle(): void {
    for (const [key, connection] of this.#open) {
      if (connection.inFlight > 0 || Date.now() - connection.lastUsedMs < idleMs) continue
      this.#open.delete(key)
      void connection.close()
    }
  }
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
