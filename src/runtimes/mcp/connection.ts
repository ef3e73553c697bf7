// One connection to a foreign server, initialised once and used by many calls. It is opened on first need,
// closed when idle, and never reopened behind the back of a call that was already sent.
import {
  type CallToolResult,
  Client,
  type Tool as McpTool,
  ProtocolError,
  ProtocolErrorCode,
  SdkHttpError,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client'
import { version } from '../../config/version.ts'
import type { NetworkRule, Profile } from '../../sandbox/profile.ts'
import { onAbort } from '../../tool/on-abort.ts'
import { type Enforcement, inProcessEnforcement, type Progress } from '../../tool/outcome.ts'
import type { JsonSchema } from '../../tool/tool.ts'
import { isToolError, ToolError } from '../../tool/tool-error.ts'
import type { NetGuard } from '../net-guard.ts'
import type { RuntimeEnv } from '../runtime.ts'
import type { ElicitHandler, SampleHandler } from './ask-caller.ts'
import { boundedFetch } from './bounded-fetch.ts'
import { ChildTransport, messageTooLarge } from './child-transport.ts'
import { paramHeaders } from './param-headers.ts'
import { callRaw, listAll } from './raw-result.ts'
import type { ServerTarget } from './server-target.ts'
import { startHint } from './start-hint.ts'

export interface ForeignCall {
  readonly tool: string
  /** Its input schema, where that says which arguments are sent as headers too. */
  readonly params?: JsonSchema | null
  readonly args: { readonly [name: string]: unknown } | undefined
  readonly signal: AbortSignal
  readonly timeoutMs: number
  progress?(progress: Progress): void
  /** Puts a question of the server to whoever made the call. */
  readonly elicit?: ElicitHandler
  /** Asks the model of whoever made the call. */
  readonly sample?: SampleHandler
}

const startMs = 30_000
const maxMessageBytes = 32 * 1024 * 1024

export class Connection {
  readonly target: ServerTarget
  enforcement: Enforcement = inProcessEnforcement
  /** Told when the server says that its tools changed. */
  onToolsChanged?: () => void
  /** Told when the connection ended, whoever ended it. */
  onClosed?: () => void
  readonly #env: RuntimeEnv
  readonly #profile: Profile
  readonly #guard: NetGuard
  #opening: Promise<Client> | undefined
  #transport: ChildTransport | undefined
  /** The client of the connection, or of the one that is being opened. */
  #client: Client | undefined
  /** Why a connection over HTTP was cut off. */
  #httpFault: ToolError | undefined
  #isClosed = false
  #calls = new Set<ForeignCall>()
  #waiting: (() => void)[] = []
  lastUsedMs = Date.now()

  constructor(target: ServerTarget, profile: Profile, env: RuntimeEnv, guard: NetGuard) {
    this.target = target
    this.#profile = profile
    this.#env = env
    this.#guard = guard
  }

  get inFlight(): number {
    return this.#calls.size
  }

  /** The last of what a server that runs here wrote to its standard error. */
  get said(): string | undefined {
    return this.#transport?.tail
  }

  async listTools(signal: AbortSignal): Promise<readonly McpTool[]> {
    const client = await this.#open(signal)
    try {
      if (!client.getServerCapabilities()?.tools) return []
      return await listAll<McpTool>(
        client,
        { method: 'tools/list', key: 'tools' },
        { signal, timeout: startMs },
      )
    } catch (error) {
      throw this.#failure(error)
    }
  }

  async callTool(call: ForeignCall): Promise<CallToolResult> {
    await this.#turn(call)
    this.lastUsedMs = Date.now()
    let transport: ChildTransport | undefined
    try {
      const client = await this.#open(call.signal)
      transport = this.#transport
      // Not `client.callTool`: results are checked by the guard `returns`, as those of every tool, and stay whole.
      const headers = client.getProtocolEra() === 'modern' ? paramHeaders(call) : undefined
      return await callRaw(
        client,
        { name: call.tool, ...(call.args ? { arguments: { ...call.args } } : {}) },
        {
          ...(headers ? { headers } : {}),
          signal: call.signal,
          // The kernel keeps the time; the SDK's own limit must not come first.
          timeout: call.timeoutMs + 1_000,
          resetTimeoutOnProgress: true,
          ...(call.progress
            ? {
                onprogress: ({ progress, total, message }) =>
                  call.progress!({
                    done: progress,
                    ...(total === undefined ? {} : { total }),
                    ...(message === undefined ? {} : { message }),
                  }),
              }
            : {}),
        },
      )
    } catch (error) {
      throw this.#failure(error, transport)
    } finally {
      this.#calls.delete(call)
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

  async #connectWith(transport: Transport, mode: 'legacy' | 'auto'): Promise<Client> {
    const client = new Client(
      { name: 'toolcrib', version: version() },
      {
        capabilities: { elicitation: { form: {} }, sampling: {} },
        versionNegotiation: { mode },
        // At once: from the notice on, what was listed before counts no more.
        listChanged: {
          tools: { autoRefresh: false, debounceMs: 0, onChanged: () => this.onToolsChanged?.() },
        },
      },
    )
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      // The protocol does not say which call a question belongs to; with one call in flight there is no doubt.
      const [call] = this.#calls
      if (this.#calls.size !== 1 || !call?.elicit) return { action: 'decline' as const }
      return call.elicit(params)
    })
    client.setRequestHandler('sampling/createMessage', async ({ params }) => {
      const [call] = this.#calls
      if (this.#calls.size !== 1 || !call?.sample)
        throw new ProtocolError(
          ProtocolErrorCode.InvalidRequest,
          'Whoever made this call has no model to ask.',
        )
      return call.sample(params)
    })
    client.onclose = () => {
      this.#opening = undefined
      this.onClosed?.()
    }
    this.#client = client
    try {
      if (this.#isClosed)
        throw new ToolError('CANCELLED', `The connection to "${this.target.name}" is closed.`)
      await client.connect(transport, { timeout: startMs })
      return client
    } catch (error) {
      await client.close().catch(() => {})
      throw error
    }
  }

  async #startChild(): Promise<ChildTransport> {
    if (this.target.kind !== 'stdio')
      throw new ToolError('INTERNAL', `${this.target.name} is no stdio server.`)
    const fenced = this.#env.fence.wrap(this.target.spawn, this.#profile, {
      read: this.target.read,
      own: this.target.home === undefined ? [] : [this.target.home],
      over: this.target.over?.(),
    })
    this.enforcement = fenced.enforcement
    const child = await this.#env.supervisor.start(fenced)
    this.#transport = new ChildTransport(child, this.target.name, maxMessageBytes)
    return this.#transport
  }

  #httpTransport(Kind: typeof StreamableHTTPClientTransport | typeof SSEClientTransport, target: HttpTarget) {
    this.#httpFault = undefined
    this.enforcement = { layers: ['net-guard'], dimensions: { network: 'enforced' } }
    return new Kind(new URL(target.url), {
      requestInit: { headers: { ...target.headers } },
      fetch: boundedFetch(
        this.#guard.fetch(withHost(this.#profile.network, target.ownHost)),
        maxMessageBytes,
        () => {
          this.#httpFault = messageTooLarge(target.name, maxMessageBytes)
          // The SDK would wait for the rest of a stream of events, or ask for it again.
          void this.#client?.close().catch(() => {})
          return this.#httpFault
        },
      ),
    })
  }

  #failure(error: unknown, transport = this.#transport): unknown {
    if (isToolError(error) || (error as Error)?.name === 'AbortError') return error
    const fault = transport?.fault ?? this.#httpFault
    if (fault) return fault
    const cause = (error as { cause?: unknown }).cause
    if (isToolError(cause)) return cause
    const { name } = this.target
    const code = (error as { code?: unknown }).code
    const said = transport?.tail
    const message = error instanceof Error ? error.message : String(error)
    if (typeof code === 'number')
      return new ToolError(
        'TOOL_FAILED',
        `The MCP server "${name}" answered with error ${code}: ${message}`,
        {
          details: { code, message },
        },
      )
    return new ToolError(
      'UPSTREAM_FAILED',
      `The MCP server "${name}" failed: ${message}${said ? `\n${said}` : ''}`,
      { hint: startHint(this.target, this.#profile, said), retryable: true, details: { server: name } },
    )
  }
}

const unsupportedVersion = -32022

type HttpTarget = ServerTarget & { readonly kind: 'http' }

/** An HTTP answer that says that there is no such request at this address. */
function isUnknownRequest(error: unknown): boolean {
  return error instanceof SdkHttpError && [400, 404, 405, 406, 415, 501].includes(error.status ?? 0)
}

function withHost(rule: NetworkRule, host: string | null): NetworkRule {
  if (host === null) return rule
  return rule.mode === 'none' ? { mode: 'hosts', hosts: [host] } : { ...rule, hosts: [...rule.hosts, host] }
}
