// Calls that outlive their connection (U7). A task is a request in the store and its stored response, so it survives a
// restart; its rights are those of whoever asked for it, and only that one sees it.
import type { ClientCapabilities, InputRequests } from '@modelcontextprotocol/server'
import { answerTo } from '../../automation/answer-to.ts'
import type { Crib } from '../../crib/crib.ts'
import type { CallOptions } from '../../kernel/call.ts'
import { type Crumb, defaultWorkspace } from '../../store/crumb.ts'
import { isPlainObject, type Json, type JsonObject } from '../../tool/json.ts'
import type { Outcome } from '../../tool/outcome.ts'
import type { Principal } from '../../tool/principal.ts'
import type { Tool } from '../../tool/tool.ts'
import { ToolError } from '../../tool/tool-error.ts'
import { answersOf } from './client-answers.ts'
import { Questions } from './questions.ts'

const tag = 'mcp:task'
const requestSchema = 'tool.request.v1'
const pageSize = 50
/** How long a task and its result are kept. */
export const keptMs = 7 * 24 * 60 * 60 * 1000

export interface Task {
  readonly id: string
  readonly tool: string
  readonly createdAt: string
  readonly updatedAt: string
  readonly state: 'working' | 'input_required' | 'done' | 'cancelled'
  readonly message?: string | undefined
  readonly questions?: InputRequests
  readonly outcome?: Outcome
}

export class Tasks {
  readonly #crib: Crib
  /** What tasks that run here ask. */
  readonly #questions = new Map<string, Questions>()
  readonly #cancelled = new Set<string>()

  constructor(crib: Crib) {
    this.#crib = crib
    crib.requestOptions = (given) => this.#optionsOf(given)
    crib.on('run', ({ id }) => this.#questions.delete(id))
  }

  /** Stores the request; whoever serves requests takes it up, or this process. */
  async start(
    tool: Tool,
    args: unknown,
    principal: Principal,
    capabilities: ClientCapabilities,
  ): Promise<Task> {
    const { elicitation, sampling, roots } = capabilities
    const { id } = await this.#crib.crumbs.create(
      {
        title: `Task: ${tool.id}`.slice(0, 500),
        schema_name: requestSchema,
        tags: ['tool:request', defaultWorkspace, tag],
        visibility: 'private',
        ttl_seconds: keptMs / 1000,
        context: { tool: tool.id, input: args ?? {}, task: { elicitation, sampling, roots } },
      },
      principal,
    )
    return this.get(id, principal)
  }

  /** NOT_FOUND for one that is not there, or not this principal's. */
  async get(id: string, principal: Principal): Promise<Task> {
    const { store } = await this.#crib.crumbs.open()
    const crumb = await store.crumbs.get(id)
    if (!crumb || !isTaskOf(crumb, principal))
      throw new ToolError('NOT_FOUND', `There is no task ${id}.`, { hint: 'It may have ended long ago.' })
    return this.#task(crumb)
  }

  async list(
    principal: Principal,
    after: number | undefined,
  ): Promise<{ readonly tasks: Task[]; readonly next: number | undefined }> {
    const { store } = await this.#crib.crumbs.open()
    const query = { viewer: principal, schema: requestSchema, tags: [tag], limit: pageSize, after }
    const page = await store.crumbs.list(query)
    const own = page.crumbs.filter((crumb) => isTaskOf(crumb, principal))
    return { tasks: await Promise.all(own.map((crumb) => this.#task(crumb))), next: page.next }
  }

  /** Stops it; what has ended stays as it is. */
  async cancel(id: string, principal: Principal): Promise<Task> {
    const task = await this.get(id, principal)
    if (task.outcome || task.state === 'cancelled') return task
    this.#cancelled.add(id)
    const running = this.#crib.kernel.running.find((call) => call.id === id)
    running?.abort(cancelled())
    return this.get(id, principal)
  }

  /** Answers what the task asks. */
  async answer(
    id: string,
    answers: { readonly [key: string]: unknown },
    principal: Principal,
  ): Promise<Task> {
    await this.get(id, principal)
    this.#questions.get(id)?.answer(answers)
    return this.get(id, principal)
  }

  /** What the call of a task gets besides; nothing for every other request. */
  #optionsOf({ runId = '', trigger }: Pick<CallOptions, 'runId' | 'trigger'>): Partial<CallOptions> {
    const context = isPlainObject(trigger) ? trigger['context'] : undefined
    const asked = isPlainObject(context) ? context['task'] : undefined
    if (!isPlainObject(asked)) return {}
    if (this.#cancelled.has(runId)) return { signal: AbortSignal.abort(cancelled()) }
    const questions = new Questions()
    this.#questions.set(runId, questions)
    return { ...answersOf(asked as ClientCapabilities, questions.ask), isTask: true }
  }

  async #task(crumb: Crumb): Promise<Task> {
    const { store } = await this.#crib.crumbs.open()
    const { id, created_at: createdAt } = crumb
    const tool = String((crumb.context as { tool?: unknown }).tool)
    const answer = await answerTo(store, id)
    const questions = this.#questions.get(id)
    const isAsking = questions !== undefined && !questions.isEmpty
    const task = { id, tool, createdAt, updatedAt: answer?.created_at ?? createdAt }
    if (answer) {
      this.#cancelled.delete(id)
      const outcome = outcomeIn(answer)
      const isCancelled = !outcome.ok && outcome.error.code === 'CANCELLED'
      return { ...task, state: isCancelled ? 'cancelled' : 'done', outcome }
    }
    // One that an earlier process left behind goes on when it is asked about.
    await this.#crib.runRequest(id)
    if (this.#cancelled.has(id)) return { ...task, state: 'cancelled' }
    if (isAsking) return { ...task, state: 'input_required', questions: questions.requests() }
    const isHeld = this.#crib.approvals.pending.some(({ runId }) => runId === id)
    return { ...task, state: 'working', message: isHeld ? 'It waits for a person to approve it.' : undefined }
  }
}

/** Whoever asked for it, under the same name and owner. */
function isTaskOf({ tags, created_by, owner_id }: Crumb, { name, owner }: Principal): boolean {
  return tags.includes(tag) && created_by === name && owner_id === owner
}

/** The outcome as far as the response holds it. */
function outcomeIn({ context }: Crumb): Outcome {
  const said = (context ?? {}) as { readonly [key: string]: Json | undefined }
  const facts = {
    logs: [],
    ms: Number(said['execution_time_ms'] ?? 0),
    runId: String(said['request_breadcrumb_id']),
    enforcement: { layers: [], dimensions: {} },
    meta: isPlainObject(said['blocks']) ? (said['blocks'] as JsonObject) : undefined,
  }
  if (said['status'] === 'success') return { ok: true, value: said['output'] ?? null, ...facts }
  const message = String(said['error'] ?? 'It failed.').replace(/^Error: /, '')
  const error = {
    code: String(said['error_code']),
    message,
    details: said['error_details'] ?? undefined,
    retryable: false,
  }
  return { ok: false, error, ...facts }
}

function cancelled(): ToolError {
  return new ToolError('CANCELLED', 'The client cancelled the task.')
}

const byCrib = new WeakMap<Crib, Tasks>()

/** Made before requests are served, so that the first of them is watched. */
export function tasksOf(crib: Crib): Tasks {
  let tasks = byCrib.get(crib)
  if (!tasks) {
    tasks = new Tasks(crib)
    byCrib.set(crib, tasks)
  }
  return tasks
}
