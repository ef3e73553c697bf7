// Keeps what tools reached for, by tool: what was denied becomes proposals, what was allowed is what a tool uses. Calls
// are never held up: what is noted gathers for a moment, and the store is opened only when there is something to keep.
import type { Traits } from '../formats/format.ts'
import type { Call } from '../kernel/call.ts'
import { type Access, hostAndPort, type OnAccess } from '../sandbox/access/access.ts'
import { runDenials } from '../sandbox/access/said-denials.ts'
import type { AccessRow, CrumbStore } from '../store/store.ts'
import { isPlainObject } from '../tool/json.ts'
import type { Tool } from '../tool/tool.ts'
import { isToolError } from '../tool/tool-error.ts'

/** Different things kept of one tool by one process: a tool that asks for ever new ones fills nothing. */
const maxOfTool = 200
const gatherMs = 250

export interface AccessLogOptions {
  /** False: nothing was ever kept, and who only reads makes no store. */
  hasStore(): boolean
  store(): CrumbStore | Promise<CrumbStore>
  onError(error: unknown): void
}

export class AccessLog {
  readonly #options: AccessLogOptions
  readonly #known = new Map<string, Set<string>>()
  #waiting = new Map<string, AccessRow>()
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()

  constructor(options: AccessLogOptions) {
    this.#options = options
  }

  /** False: nothing was ever kept. */
  get hasStore(): boolean {
    return this.#options.hasStore()
  }

  note(tool: string, { kind, what, isDenied, address = '' }: Access): void {
    const key = JSON.stringify([tool, kind, what, isDenied])
    const known = this.#known.get(tool) ?? new Set()
    if (!known.has(key) && known.size >= maxOfTool) return
    this.#known.set(tool, known.add(key))
    const count = (this.#waiting.get(key)?.count ?? 0) + 1
    this.#waiting.set(key, {
      tool,
      kind,
      what: what.slice(0, 1_000),
      isDenied,
      address,
      count,
      lastMs: Date.now(),
    })
    this.#timer ??= setTimeout(() => this.#write(), gatherMs).unref()
  }

  /** Resolves when everything noted so far is stored. */
  async flush(): Promise<void> {
    this.#write()
    await this.#writing
  }

  async list(query: { readonly tool?: string; readonly isDenied?: boolean }): Promise<readonly AccessRow[]> {
    await this.flush()
    return this.#options.hasStore() ? (await this.#options.store()).accesses.list(query) : []
  }

  async settle(tool: string): Promise<void> {
    await this.flush()
    await (await this.#options.store()).accesses.settle(tool)
    this.#known.delete(tool)
  }

  #write(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#waiting.size === 0) return
    const rows = [...this.#waiting.values()]
    this.#waiting = new Map()
    this.#writing = this.#writing
      .then(async () => (await this.#options.store()).accesses.add(rows))
      .catch((error: unknown) => this.#options.onError(error))
  }
}

/** What the end of a call tells: what it was refused, which files it changed, which tool called it. */
export function tellOfCall(call: Call, onAccess: OnAccess, traits: (tool: Tool) => Traits): void {
  const { effects, parent, principal, tool } = call
  const { error } = call.state
  if (error !== undefined) for (const access of deniedTo(call)) onAccess(tool.id, access)
  for (const { path, kind } of effects?.files ?? [])
    onAccess(tool.id, { kind: kind === 'changed' ? 'write' : 'make', what: path, isDenied: false })
  // Middleware is no call of the tool.
  const isCall = call.target === call && parent !== null && traits(parent.tool).callsNeedGrant
  const caller = isCall ? principal.tool : undefined
  if (caller !== undefined && caller !== tool.id)
    onAccess(caller, { kind: 'call', what: tool.id, isDenied: false })
}

/** What a call that ended with a denial was denied, as far as a grant could give it. */
function deniedTo({ error, isDryRun, profile }: Call): Access[] {
  if (isDryRun || !isToolError(error)) return []
  const details = isPlainObject(error.details) ? error.details : {}
  if (error.code === 'CAPABILITY_DENIED') {
    const { host, port, capabilities, calls } = details
    if (typeof host === 'string' && typeof port === 'number')
      return [{ kind: 'host', what: hostAndPort(host, port), isDenied: true }]
    if (typeof calls === 'string') return [{ kind: 'call', what: calls, isDenied: true }]
    return textsOf(capabilities).map((what) => ({ kind: 'capability', what, isDenied: true }))
  }
  if (error.code !== 'PATH_OUTSIDE') return runDenials(error, profile)
  const faults = Array.isArray(details['faults']) ? details['faults'] : []
  return faults.flatMap((fault) =>
    isPlainObject(fault) && String(fault['message']).includes('no write area')
      ? textsOf(fault['paths']).map((what): Access => ({ kind: 'make', what, isDenied: true }))
      : [],
  )
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string').slice(0, 50) : []
}
