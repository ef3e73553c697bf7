// One story from cause to effect: the events of a chain, the runs they set going, the calls those made, as one tree in
// the order of time. It can be asked for by any member.
import { isVisible } from '../events/feed.ts'
import type { CrumbEvent } from '../store/crumb.ts'
import type { SealedRun } from '../store/run-record.ts'
import { notFound } from '../store/store-error.ts'
import { isPlainObject } from '../tool/json.ts'
import type { LogLine } from '../tool/outcome.ts'
import type { Principal } from '../tool/principal.ts'
import type { Static } from '../tool/shape.ts'
import { type GraphParts, runsOfEvent } from './causation-graph.ts'
import type { threadShape } from './thread-shapes.ts'

export type Thread = Static<typeof threadShape>
type Node = Thread['nodes'][number]

/** What is needed to tell a thread: the store, and the calls in progress. */
export interface ThreadParts extends GraphParts {
  /** Calls in progress that whoever asks may see. */
  running(): readonly RunningCall[]
}

export interface RunningCall {
  readonly runId: string
  readonly tool: string
  readonly startedAt: string
  readonly ms: number
  readonly caller: string
  readonly surface: string
  readonly parent?: string
  readonly trigger?: { readonly crumb?: string }
  readonly logs: readonly LogLine[]
}

const maxEvents = 300
const maxRuns = 500
/** How far back events that a call from outside wrote are looked for. */
const lookBack = 2_000

export async function threadOf(id: string, principal: Principal, parts: ThreadParts): Promise<Thread> {
  const thread = new ThreadBuilder(principal, parts)
  const member = await thread.start(id)
  return { id, member, ...thread.done() }
}

class ThreadBuilder {
  readonly #principal: Principal
  readonly #parts: ThreadParts
  readonly #nodes = new Map<string, Node>()
  readonly #roots = new Set<string>()
  #isCut = false

  constructor(principal: Principal, parts: ThreadParts) {
    this.#principal = principal
    this.#parts = parts
  }

  async start(id: string): Promise<string> {
    const run = await this.#find(id)
    if (run) {
      const top = await this.#top(run)
      if (top.trigger?.crumb !== undefined) await this.#crumb(top.trigger.crumb)
      if (!this.#nodes.has(`run:${run.runId}`)) {
        await this.#tree(top.runId, null)
        await this.#eventsWritten()
      }
      return `run:${run.runId}`
    }
    const event = await this.#crumb(id)
    if (!event) throw notFound(id)
    return event
  }

  done(): Omit<Thread, 'id' | 'member'> {
    const nodes = [...this.#nodes.values()]
    const byTime = (a: Node, b: Node) => (a.at === b.at ? 0 : a.at < b.at ? -1 : 1)
    const ordered: Node[] = []
    const visit = (parent: string | null) => {
      for (const node of nodes.filter((each) => each.parent === parent).sort(byTime)) {
        ordered.push(node)
        visit(node.id)
      }
    }
    visit(null)
    return { nodes: ordered, isLive: nodes.some(({ state }) => state === 'running'), isCut: this.#isCut }
  }

  /** The chain of a crumb's newest event; the node of that event. */
  async #crumb(id: string): Promise<string | null> {
    const own = (await this.#parts.store.events.ofCrumb(id)).at(-1)
    if (!own || !isVisible(own, this.#principal) || !this.#parts.mayRead(own.event)) return null
    await this.#chain(own.event.causation.root)
    return `event:${own.event.id}`
  }

  async #chain(root: string): Promise<void> {
    if (this.#roots.has(root)) return
    this.#roots.add(root)
    const logged = await this.#parts.store.events.chain(root, maxEvents + 1)
    if (logged.length > maxEvents) this.#isCut = true
    for (const one of logged.slice(0, maxEvents))
      if (isVisible(one, this.#principal) && this.#parts.mayRead(one.event)) await this.#event(one.event)
  }

  async #event(event: CrumbEvent): Promise<void> {
    const id = `event:${event.id}`
    if (this.#nodes.has(id)) return
    const writer = event.causation.by_run
    if (writer !== undefined && !this.#nodes.has(`run:${writer}`)) await this.#treeOf(writer)
    const parent = writer !== undefined && this.#nodes.has(`run:${writer}`) ? `run:${writer}` : null
    this.#nodes.set(id, eventNode(event, parent))
    if (event.type === 'breadcrumb.deleted') return
    for (const [runId] of runsOfEvent(event, this.#parts.tools())) await this.#tree(runId, id)
  }

  /** The whole call that a run belongs to, where it may be seen. */
  async #treeOf(runId: string): Promise<void> {
    const run = await this.#find(runId)
    if (run) await this.#tree((await this.#top(run)).runId, null)
  }

  /** A run and everything that was called from it. */
  async #tree(runId: string, cause: string | null): Promise<void> {
    const top = await this.#find(runId)
    if (!top) return
    this.#add(runNode(top), cause)
    const stored = await this.#parts.store.runs.list({
      root: runId,
      kinds: ['run', 'deny', 'allow'],
      limit: maxRuns,
    })
    if (stored.length === maxRuns) this.#isCut = true
    for (const run of [...stored].reverse())
      if (run.kind !== 'allow' && run.runId !== runId && this.#parts.maySeeRun(run))
        this.#add(runNode(run), `run:${run.parent ?? runId}`)
    for (const { kind, runId: id, reason } of stored) if (kind === 'allow') this.#allowed(`run:${id}`, reason)
    // Oldest first, so that a call is placed before those that it makes.
    for (const call of this.#parts.running())
      if (call.parent !== undefined && this.#nodes.has(`run:${call.parent}`))
        this.#add(runNode(call), `run:${call.parent}`)
  }

  #add(node: Node, parent: string | null): void {
    const known = this.#nodes.get(node.id)
    // A call that a middleware made has a parent that has no record of its own.
    this.#nodes.set(node.id, { ...node, parent: known?.parent ?? this.#known(parent) })
  }

  /** Who agreed to a call: its own record says so, not the log, which the tool writes too. */
  #allowed(id: string, reason: string | undefined): void {
    const node = this.#nodes.get(id)
    if (node) this.#nodes.set(id, { ...node, allowed: reason })
  }

  #known(id: string | null): string | null {
    for (let at = id; at !== null; ) {
      if (this.#nodes.has(at)) return at
      const dot = at.lastIndexOf('.')
      at = dot < 0 ? null : at.slice(0, dot)
    }
    return null
  }

  /** Events that the runs gathered so far wrote: what a call from outside set going. */
  async #eventsWritten(): Promise<void> {
    const last = await this.#parts.store.events.last()
    const logged = await this.#parts.store.events.after({
      after: Math.max(0, last - lookBack),
      limit: lookBack,
    })
    for (const one of logged) {
      const { by_run: writer, root } = one.event.causation
      if (writer !== undefined && this.#nodes.has(`run:${writer}`)) await this.#chain(root)
    }
  }

  async #find(runId: string): Promise<SealedRun | RunningCall | null> {
    const running = this.#parts.running().find((call) => call.runId === runId)
    if (running) return running
    const run = await this.#parts.store.runs.get(runId)
    return run && this.#parts.maySeeRun(run) ? run : null
  }

  async #top(run: SealedRun | RunningCall): Promise<SealedRun | RunningCall> {
    for (let at = run; ; ) {
      const above = at.parent === undefined ? null : await this.#find(at.parent)
      if (!above) return at
      at = above
    }
  }
}

function eventNode(event: CrumbEvent, parent: string | null): Node {
  return {
    id: `event:${event.id}`,
    parent,
    kind: 'event',
    title: event.title,
    at: event.updated_at,
    state: event.type.slice('breadcrumb.'.length) as Node['state'],
    crumb: event.breadcrumb_id,
    schema: event.schema_name ?? undefined,
    version: event.version,
    caller: event.created_by,
    logs: [],
  }
}

function runNode(run: SealedRun | RunningCall): Node {
  const common = {
    id: `run:${run.runId}`,
    parent: null,
    kind: 'run',
    title: run.tool,
    at: run.startedAt,
    ms: run.ms,
    runId: run.runId,
    caller: run.caller,
    surface: run.surface,
    logs: (run.logs ?? []) as readonly LogLine[],
  } as const
  if (!('hash' in run)) return { ...common, state: 'running' }
  const outcome = isPlainObject(run.outcome) ? run.outcome : {}
  const error = isPlainObject(outcome['error']) ? outcome['error'] : {}
  const { model, tokens, attempts } = run.meta ?? {}
  return {
    ...common,
    state: run.ok ? 'ok' : run.kind === 'deny' ? 'refused' : 'failed',
    errorCode: run.errorCode,
    message: typeof error['message'] === 'string' ? error['message'] : undefined,
    cost: run.cost,
    model: typeof model === 'string' ? model : undefined,
    tokens: isPlainObject(tokens)
      ? { input: Number(tokens['input']), output: Number(tokens['output']) }
      : undefined,
    attempts: typeof attempts === 'number' && attempts > 1 ? attempts : undefined,
    effects:
      run.effects && run.effects.state !== 'none'
        ? { state: run.effects.state, files: run.effects.added + run.effects.changed + run.effects.deleted }
        : undefined,
  }
}
