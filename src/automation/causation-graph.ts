// How a breadcrumb came about and what came of it: crumbs and runs as the nodes of one chain, with the edges
// "triggered" (a crumb's event set a run going), "wrote" (a run wrote a crumb) and "called" (a run called a tool).

import { isVisible } from '../events/feed.ts'
import type { CrumbEvent } from '../store/crumb.ts'
import type { SealedRun } from '../store/run-record.ts'
import type { CrumbStore } from '../store/store.ts'
import { notFound } from '../store/store-error.ts'
import type { Principal } from '../tool/principal.ts'
import type { Static } from '../tool/shape.ts'
import type { Tool } from '../tool/tool.ts'
import type {
  causationEdgeShape,
  causationGraphShape,
  crumbNodeShape,
  runNodeShape,
} from './automation-shapes.ts'
import { subscriptionsOf } from './subscriptions.ts'

const maxEvents = 500

export interface CrumbNode extends Static<typeof crumbNodeShape> {}

export interface RunNode extends Static<typeof runNodeShape> {}

export interface CausationEdge extends Static<typeof causationEdgeShape> {}

export interface CausationGraph extends Static<typeof causationGraphShape> {}

export interface GraphParts {
  readonly store: CrumbStore
  tools(): readonly Tool[]
  /** Whether whoever asks may see this run. */
  maySeeRun(run: SealedRun): boolean
  /** Whether whoever asks may read the crumb of this event. */
  mayRead(event: CrumbEvent): boolean
}

/** The chain of the crumb's newest event. */
export async function causationGraph(
  id: string,
  principal: Principal,
  parts: GraphParts,
): Promise<CausationGraph> {
  const own = (await parts.store.events.ofCrumb(id)).at(-1)
  if (!own || !isVisible(own, principal) || !parts.mayRead(own.event)) throw notFound(id)
  const { root } = own.event.causation
  const logged = await parts.store.events.chain(root, maxEvents + 1)
  const events = logged
    .slice(0, maxEvents)
    .filter((one) => isVisible(one, principal) && parts.mayRead(one.event))
    .map((one) => one.event)
  const graph = new Graph(parts)
  for (const event of events) await graph.add(event)
  return { root, ...graph.done(), isCut: logged.length > maxEvents }
}

class Graph {
  readonly #parts: GraphParts
  readonly #crumbs = new Map<string, CrumbNode>()
  readonly #runs = new Map<string, RunNode | null>()
  readonly #edges = new Map<string, CausationEdge>()

  constructor(parts: GraphParts) {
    this.#parts = parts
  }

  done(): Pick<CausationGraph, 'nodes' | 'edges'> {
    const runs = [...this.#runs.values()].filter((run) => run !== null)
    return { nodes: [...this.#crumbs.values(), ...runs], edges: [...this.#edges.values()] }
  }

  async add(event: CrumbEvent): Promise<void> {
    const crumb = this.#crumb(event)
    const { by_run: writer, by_tool: tool } = event.causation
    if (writer !== undefined && (await this.#run(writer, tool ?? '')))
      this.#edge(`run:${writer}`, crumb, 'wrote', event.id)
    if (event.type === 'breadcrumb.deleted') return
    for (const [runId, name] of runsOfEvent(event, this.#parts.tools()))
      if (await this.#run(runId, name, true)) this.#edge(crumb, `run:${runId}`, 'triggered', event.id)
  }

  #crumb(event: CrumbEvent): string {
    const id = `crumb:${event.breadcrumb_id}`
    const { id: position, type, version, updated_at: at, causation } = event
    const step = { id: position, type, version, at, depth: causation.depth }
    const known = this.#crumbs.get(id) ?? {
      id,
      kind: 'crumb',
      crumb: event.breadcrumb_id,
      title: event.title,
      schema_name: event.schema_name ?? null,
      events: [],
    }
    this.#crumbs.set(id, { ...known, events: [...known.events, step] })
    return id
  }

  /** True when there is such a run and it may be seen; `mustBeRecorded` leaves out guesses. */
  async #run(runId: string, tool: string, mustBeRecorded = false): Promise<boolean> {
    const known = this.#runs.get(runId)
    if (known !== undefined) return known !== null
    const record = await this.#parts.store.runs.get(runId)
    const isShown = record ? this.#parts.maySeeRun(record) : !mustBeRecorded
    if (!isShown) {
      if (record) this.#runs.set(runId, null)
      return false
    }
    this.#runs.set(runId, nodeOf(runId, tool, record))
    if (record?.parent !== undefined && (await this.#run(record.parent, '', true)))
      this.#edge(`run:${record.parent}`, `run:${runId}`, 'called')
    return true
  }

  #edge(from: string, to: string, kind: CausationEdge['kind'], event?: string): void {
    this.#edges.set(`${from} ${to} ${event ?? ''}`, { from, to, kind, event: event || undefined })
  }
}

/** Runs an event may have set going: that of a request, those of tools that listen to its schema. */
export function runsOfEvent(event: CrumbEvent, tools: readonly Tool[]): [runId: string, tool: string][] {
  if (event.schema_name === 'tool.request.v1' && event.type === 'breadcrumb.created') {
    const asked = (event.context as { tool?: unknown } | undefined)?.tool
    return [[event.breadcrumb_id, typeof asked === 'string' ? asked : '']]
  }
  return tools
    .filter((tool) => subscriptionsOf(tool).some((one) => one.schema_name === event.schema_name))
    .map((tool) => [`sub-${event.id}-${tool.id}`, tool.id])
}

function nodeOf(runId: string, tool: string, record: SealedRun | null): RunNode {
  const bare = { id: `run:${runId}`, kind: 'run', runId } as const
  if (!record) return { ...bare, tool }
  return {
    ...bare,
    tool: record.tool,
    startedAt: record.startedAt,
    ms: record.ms,
    ok: record.ok,
    errorCode: record.errorCode,
  }
}
