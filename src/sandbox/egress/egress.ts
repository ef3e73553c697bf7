// The egress proxies of a crib: one for each network rule in use, on a socket file that only its sandboxes
// see, or, where there are no network namespaces, on a loopback address with a password.
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { NetworkRule } from '../profile.ts'
import { type AskedConnection, EgressProxy, type EgressProxyOptions } from './egress-proxy.ts'
import { type Forwarder, findForwarder, forwarderCommand } from './forwarder.ts'

export interface Way {
  /** Where the proxy listens, as the process sees it. */
  readonly address: string
  readonly env: { readonly [name: string]: string }
  /** Host folder with the socket file; shown inside as /run/toolcrib. */
  readonly folder?: string
  readonly programs: readonly string[]
  /** Puts the forwarder before a command. */
  command(command: readonly string[]): string[]
  /** Settles when the proxy takes connections; undefined when it does already. */
  readonly ready?: Promise<void> | undefined
  release(): void
}

export type Secrets = { readonly [name: string]: string }

/** Who is sent to a proxy, and with what. */
export interface Passenger {
  readonly secrets?: Secrets | undefined
  /** The tool: what it asks for is told apart from what others ask for. */
  readonly tool?: string | undefined
  readonly onAsked?: ((asked: AskedConnection) => void) | undefined
}

const proxyPort = 3128
const socketName = 'egress.sock'
const nothing = () => {}

export class Egress {
  readonly #proxies = new Map<string, { readonly proxy: EgressProxy; readonly at: string }>()
  #folder: string | undefined
  #forwarder: Forwarder | undefined
  #count = 0

  constructor(forwarder?: Forwarder) {
    this.#forwarder = forwarder
  }

  get forwarder(): Forwarder {
    this.#forwarder ??= findForwarder()
    return this.#forwarder
  }

  /** The way out of a network namespace. */
  inside(rule: NetworkRule, passenger: Passenger = {}): Way {
    const { forwarder } = this
    const { at, release } = this.#proxyFor('inside', rule, passenger, () => {
      const folder = join(this.#ownFolder(), String(++this.#count))
      mkdirSync(folder, { mode: 0o700 })
      const proxy = new EgressProxy({ rule, ...asOptions(passenger) }).onError(nothing)
      return { proxy: proxy.listen({ path: join(folder, socketName) }), at: folder }
    })
    const ports = [String(proxyPort), ...loopbackPorts(rule)]
    const address = `127.0.0.1:${proxyPort}`
    return {
      address,
      env: proxyVariables(`http://${address}`),
      folder: at,
      programs: forwarder.programs,
      command: (command) => forwarderCommand(forwarder, `/run/toolcrib/${socketName}`, ports, command),
      release,
    }
  }

  /** Without a network namespace: followed by programs that respect the usual variables. */
  outside(rule: NetworkRule, passenger: Passenger = {}): Way {
    const { at, ready, release } = this.#proxyFor('outside', rule, passenger, () => {
      // All of 127.0.0.0/8 is this machine: a random address makes a clash with another port user improbable.
      const [a, b, c] = randomBytes(3)
      const host = `127.${(a! % 254) + 1}.${b}.${(c! % 254) + 1}`
      const credentials = `tool:${randomBytes(18).toString('base64url')}`
      const proxy = new EgressProxy({ rule, credentials, ...asOptions(passenger) }).onError(nothing)
      return {
        proxy: proxy.listen({ host, port: proxyPort }),
        at: `http://${credentials}@${host}:${proxyPort}`,
      }
    })
    return {
      address: new URL(at).host,
      env: proxyVariables(at),
      programs: [],
      command: (command) => [...command],
      ready,
      release,
    }
  }

  /** A tool's starts without secrets share a proxy for the life of the crib; one that holds secrets ends with its process. */
  #proxyFor(
    kind: string,
    rule: NetworkRule,
    { secrets, tool }: Passenger,
    make: () => { proxy: EgressProxy; at: string },
  ): { at: string; ready: Promise<void> | undefined; release: () => void } {
    const holdsSecrets = secrets !== undefined && Object.keys(secrets).length > 0
    const key = holdsSecrets ? `${kind} ${++this.#count}` : `${kind} ${JSON.stringify([rule, tool])}`
    const known = this.#proxies.get(key) ?? make()
    this.#proxies.set(key, known)
    const release = () => {
      if (!holdsSecrets) return
      this.#proxies.delete(key)
      known.proxy.close()
    }
    return { at: known.at, ready: known.proxy.ready, release }
  }

  #ownFolder(): string {
    if (this.#folder === undefined) {
      // A socket's path has at most 107 bytes, so the crib's own folder may be too deep.
      const base = [process.env['XDG_RUNTIME_DIR'], tmpdir()].find((dir) => dir && dir.length < 70) ?? '/tmp'
      this.#folder = mkdtempSync(join(base, 'toolcrib-'))
    }
    return this.#folder
  }

  close(): void {
    for (const { proxy } of this.#proxies.values()) proxy.close()
    this.#proxies.clear()
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true })
    this.#folder = undefined
  }
}

function asOptions({ secrets, onAsked }: Passenger): Pick<EgressProxyOptions, 'secrets' | 'onAsked'> {
  return { ...(secrets && { secrets }), ...(onAsked && { onAsked }) }
}

/** Listed ports of this machine are also opened inside as themselves: many programs never use a proxy for them. */
function loopbackPorts(rule: NetworkRule): string[] {
  if (rule.mode === 'none') return []
  const ports = rule.hosts.flatMap((host) => /^(?:127\.0\.0\.1|localhost):(\d{1,5})$/.exec(host)?.[1] ?? [])
  return [...new Set(ports)]
    .filter((port) => Number(port) !== proxyPort && Number(port) >= 1 && Number(port) <= 65_535)
    .map((port) => `${port}=127.0.0.1:${port}`)
}

function proxyVariables(url: string): Record<string, string> {
  const env: Record<string, string> = { NO_PROXY: '', no_proxy: '', NODE_USE_ENV_PROXY: '1' }
  for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY']) {
    env[name] = url
    env[name.toLowerCase()] = url
  }
  return env
}
