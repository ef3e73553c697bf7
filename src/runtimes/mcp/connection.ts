// One connection to a foreign server, initialised once and used by many calls. It is opened on first need,
// closed when idle, and never reopened behind the back of a call that was already sent.
import {
  type Client,
  SdkHttpError,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client'
import { variablesOfPrograms } from '../../sandbox/named-programs.ts'
import type { NetworkRule, Profile } from '../../sandbox/profile.ts'
import type { AskOptions } from '../../tool/caller-answers.ts'
import type { JsonObject } from '../../tool/json.ts'
import { onAbort } from '../../tool/on-abort.ts'
import { type Enforcement, inProcessEnforcement } from '../../tool/outcome.ts'
import { SecretScrubber } from '../../tool/scrub.ts'
import { ToolError } from '../../tool/tool-error.ts'
import type { NetGuard } from '../net-guard.ts'
import type { RuntimeEnv } from '../runtime.ts'
import { type QuestionMethod, unable } from './ask-caller.ts'
import { authorizedFetch } from './authorized-fetch.ts'
import { boundedFetch } from './bounded-fetch.ts'
import { ChildTransport, messageTooLarge } from './child-transport.ts'
import { clientFor } from './client-for.ts'
import { asTask, type ForeignCall, withEnvelope } from './foreign-call.ts'
import { upstreamFailure } from './foreign-failure.ts'
import { type ForeignLog, isAtLeast, lineOf } from './foreign-log.ts'
import { letTasksThrough } from './foreign-task.ts'
import { type HttpTarget, loginTargetOf } from './login-target.ts'
import { OwedRoots } from './owed-roots.ts'
import { paramHeaders } from './param-headers.ts'
import { anyResult, requestRaw } from './raw-result.ts'
import { listsOf, type ServerLists } from './server-lists.ts'
import type { ServerTarget } from './server-target.ts'
import { ShownPages } from './shown-pages.ts'
import { type ResourceListener, UpstreamSubscriptions } from './upstream-subscriptions.ts'
import { WantedLogs } from './wanted-logs.ts'

const startMs = 30_000
const maxMessageBytes = 32 * 1024 * 1024

export class Connection {
  readonly target: ServerTarget
  enforcement: Enforcement = inProcessEnforcement
  /** Told when the server says that one of its lists changed. */
  onListChanged?: () => void
  /** Told when the connection ended, whoever ended it. */
  onClosed?: () => void
  /** Told when it is open. */
  onOpened?: () => void
  /** Told what the server wrote to its standard error or logged, without secrets. */
  onSaid?: (text: string) => void
  /** Told what it logs that belongs to no call. */
  onLoggedAside?: (said: ForeignLog) => void
  readonly #env: RuntimeEnv
  readonly #profile: Profile
  readonly #guard: NetGuard
  #opening: Promise<Client> | undefined
  #transport: ChildTransport | undefined
  /** The client of the connection, or of the one that is being opened. */
  #client: Client | undefined
  /** Why a connection over HTTP was cut off. */
  #httpFault: ToolError | undefined
  /** Takes the tokens of the log-in (U4) and the secrets of its entry out of what the server says. */
  readonly #scrubber = new SecretScrubber()
  #isClosed = false
  readonly #logs = new WantedLogs()
  #calls = new Set<ForeignCall>()
  /** Ends the questions of the calls under way. */
  #asking = new AbortController()
  readonly #subscriptions = new UpstreamSubscriptions()
  readonly #pages = new ShownPages()
  readonly #owedRoots = new OwedRoots()
  /** Asks the client that said last that its folders changed. */
  #roots: (() => Promise<unknown>) | undefined
  #waiting: (() => void)[] = []
  lastUsedMs = Date.now()

  constructor(target: ServerTarget, profile: Profile, env: RuntimeEnv, guard: NetGuard) {
    this.target = target
    this.#profile = profile
    this.#env = env
    this.#guard = guard
    for (const [name, value] of Object.entries(target.revealed ?? {})) this.#scrubber.add(name, value)
  }

  /** Whether somebody waits for an answer, or to hear of changes. */
  get isInUse(): boolean {
    return this.#calls.size > 0 || !this.#subscriptions.isEmpty
  }

  /** Of a server that runs here. */
  get child(): Pick<ChildTransport, 'tail' | 'notMcp'> | undefined {
    return this.#transport
  }

  /** Everything the server offers. */
  async lists(signal: AbortSignal): Promise<ServerLists> {
    const client = await this.#open(signal)
    try {
      return this.#scrubber.value(await listsOf(client, { signal, timeout: startMs }))
    } catch (error) {
      throw this.#failure(error)
    }
  }

  /** One question to the server that is no call: its answer, as it came. */
  async ask(
    request: { readonly method: 'completion/complete' | 'prompts/get'; readonly params: object },
    signal: AbortSignal,
  ): Promise<JsonObject> {
    const client = await this.#open(signal)
    try {
      const asked = { ...request, params: { ...request.params } }
      return this.#scrubber.value(await client.request(asked, anyResult, { signal, timeout: startMs }))
    } catch (error) {
      throw this.#failure(error)
    }
  }

  /** From now on tells of changes of a resource; gives back how to stop. */
  async subscribe(uri: string, listener: ResourceListener, signal: AbortSignal): Promise<() => void> {
    const client = await this.#open(signal)
    try {
      return await this.#subscriptions.add(client, uri, listener)
    } catch (error) {
      throw this.#failure(error)
    }
  }

  /** Tells a server of the older era that the folders of a client changed; it asks that client for them then. */
  async rootsChanged(ask: () => Promise<unknown>): Promise<void> {
    const client = await this.#opening?.catch(() => undefined)
    if (client?.getProtocolEra() !== 'legacy') return
    this.#roots = ask
    await client.sendRootsListChanged().catch(() => {})
  }

  async call(call: ForeignCall): Promise<JsonObject> {
    await this.#turn(call)
    this.lastUsedMs = Date.now()
    let transport: ChildTransport | undefined
    try {
      const client = await this.#open(call.signal)
      transport = this.#transport
      // Not `client.callTool`: results are checked by the guard `returns`, as those of every tool, and stay whole.
      const isModern = client.getProtocolEra() === 'modern'
      const args = call.request.params['arguments']
      const headers = isModern ? paramHeaders({ params: call.params, args }) : undefined
      const { progress } = call
      if (call.log && !isModern) await this.#logs.want(client, call.logLevel)
      if (!this.target.isShared && this.#calls.size === 1)
        await this.#owedRoots.settle(client, call.caller, call.signal)
      const result = await requestRaw(
        client,
        isModern ? withEnvelope(call) : asTask(call, client),
        {
          ...(headers ? { headers } : {}),
          signal: call.signal,
          // The kernel keeps the time; the SDK's own limit must not come first.
          timeout: call.timeoutMs + 1_000,
          resetTimeoutOnProgress: true,
          onprogress:
            progress &&
            (({ progress: done, total, message }) =>
              progress(this.#scrubber.value({ done, total, message }))),
        },
        {
          caller: call.caller,
          onStatus: (message) => call.log?.(lineOf(this.#scrubber.value({ level: 'info', data: message }))),
        },
      )
      return this.#scrubber.value(result)
    } catch (error) {
      this.#pages.wanted(error, call.caller)
      throw this.#failure(error, transport)
    } finally {
      this.#calls.delete(call)
      if (this.#calls.size === 0) this.#withdraw()
      this.lastUsedMs = Date.now()
      this.#waiting.shift()?.()
    }
  }

  async close(): Promise<void> {
    const opening = this.#opening
    this.#opening = undefined
    this.#isClosed = true
    // Also one that is only being opened: a server that never says hello is not waited for.
    await this.#client?.close().catch(() => {})
    await opening?.catch(() => {})
    await this.#transport?.close()
  }

  /** Waits while as many calls as the server may have at once are in flight, then counts this one among them. */
  async #turn(call: ForeignCall): Promise<void> {
    const { signal } = call
    while (this.#calls.size >= this.target.concurrency) {
      if (signal.aborted) throw signal.reason
      await new Promise<void>((resolve) => {
        const next = () => {
          forget()
          resolve()
        }
        // One that gives up leaves the queue, or the turn meant for the next would be lost on it.
        const forget = onAbort(signal, () => {
          this.#waiting = this.#waiting.filter((waiting) => waiting !== next)
          resolve()
        })
        this.#waiting.push(next)
      })
    }
    this.#calls.add(call)
  }

  #open(signal: AbortSignal): Promise<Client> {
    if (!this.#opening) {
      const opening = this.#connect()
      this.#opening = opening
      opening.catch(() => {
        if (this.#opening === opening) this.#opening = undefined
      })
    }
    const opening = this.#opening
    return new Promise((resolve, reject) => {
      const leave = () => reject(signal.reason)
      if (signal.aborted) return leave()
      signal.addEventListener('abort', leave, { once: true })
      opening.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
    })
  }

  async #connect(): Promise<Client> {
    this.#env.demandGoing?.()
    if (this.target.kind === 'http') return this.#connectHttp(this.target)
    try {
      return await this.#connectWith(await this.#startChild(), 'legacy')
    } catch (error) {
      // A server that speaks only the newer era says so; everything else is a real failure.
      if ((error as { code?: unknown }).code !== unsupportedVersion) throw this.#failure(error)
      await this.#transport?.close()
      return this.#connectWith(await this.#startChild(), 'auto')
    }
  }

  /** The newer transport first; a server that knows no such request may speak the one of 2024-11-05 (U3). */
  async #connectHttp(target: HttpTarget): Promise<Client> {
    const sse = () => this.#connectWith(this.#httpTransport(SSEClientTransport, target), 'legacy')
    try {
      if (target.isSse) return await sse()
      const streamable = this.#httpTransport(StreamableHTTPClientTransport, target)
      return await this.#connectWith(streamable, 'auto')
    } catch (error) {
      if (target.isSse || !isUnknownRequest(error)) throw this.#failure(error)
      return sse().catch(() => {
        throw this.#failure(error)
      })
    }
  }

  /** Nobody waits for what was asked in the calls that have ended. */
  #withdraw(): void {
    this.#asking.abort(new ToolError('CANCELLED', 'The call that asked this is over.'))
    this.#asking = new AbortController()
  }

  /** The protocol does not say which call a question belongs to; there is no doubt where one client made them all. */
  #answer(method: QuestionMethod, params: unknown, options: AskOptions): Promise<unknown> | object {
    const [call, ...others] = this.#calls
    if (!call && method === 'roots/list' && this.#roots) return this.#roots()
    if (!call) return unable(method, 'No call is under way for which somebody could be asked.')
    const { caller } = call
    const isSame = caller.client !== undefined && others.every((one) => one.caller.client === caller.client)
    if (others.length > 0 && !isSame)
      return unable(method, 'Several calls are under way, and nothing says which of them this belongs to.')
    this.#pages.shown(params, caller)
    const signals = [this.#asking.signal, ...(options.signal ? [options.signal] : [])]
    return caller.answer(method, params, { ...options, signal: AbortSignal.any(signals) })
  }

  /** Nothing says which call a message belongs to; the latest one is the likeliest. */
  #logged(said: ForeignLog): void {
    const line = lineOf(said)
    this.onSaid?.(line.message)
    const call = [...this.#calls].findLast(({ log }) => log !== undefined)
    if (!call) this.onLoggedAside?.(said)
    else if (isAtLeast(said.level, call.logLevel)) call.log?.(line)
  }

  async #connectWith(transport: Transport, mode: 'legacy' | 'auto'): Promise<Client> {
    const client = clientFor(mode, {
      onListChanged: () => this.onListChanged?.(),
      onResourceUpdated: (uri) => this.#subscriptions.tell(uri),
      onElicited: (id) => this.#pages.ended(id),
      answer: (method, params, options) =>
        this.#owedRoots.watch(method, this.#answer(method, params, options)),
      log: (said) => this.#logged(this.#scrubber.value(said)),
    })
    client.onclose = () => {
      this.#opening = undefined
      this.#logs.forget()
      this.#subscriptions.lose()
      this.#pages.forget()
      this.#roots = undefined
      this.onClosed?.()
    }
    this.#client = client
    try {
      if (this.#isClosed)
        throw new ToolError('CANCELLED', `The connection to "${this.target.name}" is closed.`)
      await client.connect(transport, { timeout: startMs })
      if (client.getProtocolEra() === 'modern') letTasksThrough(transport)
      this.onOpened?.()
      return client
    } catch (error) {
      await client.close().catch(() => {})
      throw error
    }
  }

  async #startChild(): Promise<ChildTransport> {
    if (this.target.kind !== 'stdio')
      throw new ToolError('INTERNAL', `${this.target.name} is no stdio server.`)
    const { spawn } = this.target
    const env = { ...variablesOfPrograms(this.#profile.read), ...spawn.env }
    const fenced = this.#env.fence.wrap({ ...spawn, env }, this.#profile, {
      read: this.target.read,
      own: this.target.home === undefined ? [] : [this.target.home],
      over: this.target.over?.(),
      mode: this.target.mode,
    })
    this.enforcement = fenced.enforcement
    const child = await this.#env.supervisor.start(fenced)
    this.#transport = new ChildTransport(child, this.target.name, maxMessageBytes)
    this.#transport.clean = (text) => this.#scrubber.text(text)
    this.#transport.onSaid = (text) => this.onSaid?.(this.#scrubber.text(text))
    return this.#transport
  }

  #httpTransport(Kind: typeof StreamableHTTPClientTransport | typeof SSEClientTransport, target: HttpTarget) {
    this.#httpFault = undefined
    this.enforcement = { layers: ['net-guard'], dimensions: { network: 'enforced' } }
    return new Kind(new URL(target.url), {
      requestInit: { headers: { ...target.headers } },
      fetch: boundedFetch(this.#fetchFor(target), maxMessageBytes, () => {
        this.#httpFault = messageTooLarge(target.name, maxMessageBytes)
        // The SDK would wait for the rest of a stream of events, or ask for it again.
        void this.#client?.close().catch(() => {})
        return this.#httpFault
      }),
    })
  }

  #fetchFor(target: HttpTarget): (input: string | URL, init?: RequestInit) => Promise<Response> {
    const { network } = this.#profile
    const fetch = this.#guard.fetch(withHost(network, target.ownHost))
    const login = loginTargetOf(target, network)
    const { logins } = this.#env
    if (!login || !logins) return fetch
    const onToken = (token: string) => this.#scrubber.add(`log-in to ${target.name}`, token)
    return authorizedFetch(fetch, { login, logins, onToken })
  }

  #failure(error: unknown, transport = this.#transport): unknown {
    return upstreamFailure(error, {
      scrubber: this.#scrubber,
      target: this.target,
      profile: this.#profile,
      fault: transport?.fault ?? this.#httpFault ?? transport?.notMcp,
      said: transport?.tail,
    })
  }
}

const unsupportedVersion = -32022
/** An HTTP answer that says that there is no such request at this address. */
function isUnknownRequest(error: unknown): boolean {
  return error instanceof SdkHttpError && [400, 404, 405, 406, 415, 501].includes(error.status ?? 0)
}

function withHost(rule: NetworkRule, host: string | null): NetworkRule {
  if (host === null) return rule
  return rule.mode === 'none' ? { mode: 'hosts', hosts: [host] } : { ...rule, hosts: [...rule.hosts, host] }
}
