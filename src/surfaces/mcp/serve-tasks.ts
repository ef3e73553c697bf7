// The methods of tasks in both eras: 2025-11-25 has them in its core, 2026-07-28 as an extension (SEP-2663).
import { setTimeout as wait } from 'node:timers/promises'
import {
  type CallToolResult,
  type ClientCapabilities,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerCapabilities,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { isPlainObject } from '../../tool/json.ts'
import type { Tool } from '../../tool/tool.ts'
import { errorData } from '../../tool/tool-error.ts'
import { anyParams } from './any-params.ts'
import { type ClientRequest, capabilitiesOf } from './client-call.ts'
import type { ClientCatalog } from './client-catalog.ts'
import { type ProtocolFailure, protocolFailureIn } from './protocol-failure.ts'
import { keptMs, type Task, type Tasks, tasksOf } from './tasks.ts'
import { toolResult } from './tool-result.ts'

export const tasksExtension = 'io.modelcontextprotocol/tasks'
const relatedTask = 'io.modelcontextprotocol/related-task'
const pollMs = 500
/** How often a client that waits for a result is looked after. */
const lookMs = 50
const taskCancelled = -32_000

/** What a server states of tasks to clients of the older era. */
export const taskCapability: ServerCapabilities['tasks'] = {
  list: {},
  cancel: {},
  requests: { tools: { call: {} } },
}

/** Whether this call becomes a task: asked for in the older era, by the tool's `task` in the newer one. */
export function isTaskCall(
  { clientCatalog, server, context }: ClientRequest,
  tool: Tool,
  params: { readonly task?: unknown },
): boolean {
  const setting = clientCatalog.crib.config.tools[tool.id]?.task
  if (context.mcpReq.envelope === undefined) {
    if (setting === 'required' && !isPlainObject(params.task))
      throw new ProtocolError(ProtocolErrorCode.MethodNotFound, `${tool.id} is called as a task only.`)
    return isPlainObject(params.task)
  }
  if (setting === 'required') refuseUnlessKnown(server, context)
  return Boolean(setting) && knowsTasks(server, context)
}

/** Whether a client of the newer era says that it knows tasks. */
function knowsTasks(server: Server, context: ServerContext): boolean {
  return capabilitiesOf(server, context).extensions?.[tasksExtension] !== undefined
}

function refuseUnlessKnown(server: Server, context: ServerContext): void {
  if (context.mcpReq.envelope === undefined || knowsTasks(server, context)) return
  throw new MissingRequiredClientCapabilityError({
    requiredCapabilities: { extensions: { [tasksExtension]: {} } },
  })
}

/** Begins the task; the result is its handle. */
export async function startTask(
  { clientCatalog, server, context }: ClientRequest,
  tool: Tool,
  args: unknown,
): Promise<CallToolResult> {
  const capabilities: ClientCapabilities = capabilitiesOf(server, context)
  const task = await tasksOf(clientCatalog.crib).start(tool, args, clientCatalog.principal, capabilities)
  const isModern = context.mcpReq.envelope !== undefined
  const handle = isModern ? { resultType: 'task', ...modernTask(task) } : { task: olderTask(task) }
  return { content: [], ...handle } as CallToolResult
}

export function serveTasks(server: Server, clientCatalog: ClientCatalog): void {
  const tasks = tasksOf(clientCatalog.crib)
  const { principal } = clientCatalog
  const found = async (work: Promise<Task>): Promise<Task> => {
    try {
      return await work
    } catch (error) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, errorData(error).message)
    }
  }
  server.setRequestHandler('tasks/get', { params: anyParams }, async ({ taskId }, context) => {
    const { mcpReq } = context
    refuseUnlessKnown(server, context)
    const task = await found(tasks.get(String(taskId), principal))
    return mcpReq.envelope === undefined ? olderTask(task) : detailed(clientCatalog, task)
  })
  server.setRequestHandler('tasks/cancel', { params: anyParams }, async ({ taskId }, context) => {
    const { mcpReq } = context
    refuseUnlessKnown(server, context)
    const before = await found(tasks.get(String(taskId), principal))
    const isOver = before.state === 'done' || before.state === 'cancelled'
    if (mcpReq.envelope === undefined && isOver)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `The task ${before.id} has ended already.`)
    const task = await found(tasks.cancel(before.id, principal))
    return mcpReq.envelope === undefined ? olderTask(task) : {}
  })
  server.setRequestHandler('tasks/update', { params: anyParams }, async ({ taskId }, context) => {
    const { mcpReq } = context
    if (mcpReq.envelope === undefined)
      throw new ProtocolError(ProtocolErrorCode.MethodNotFound, 'Method not found')
    refuseUnlessKnown(server, context)
    await found(tasks.answer(String(taskId), mcpReq.inputResponses ?? {}, principal))
    return {}
  })
  server.setRequestHandler('tasks/list', { params: anyParams }, async ({ cursor }) => {
    const after = cursor === undefined ? undefined : Number(cursor)
    if (after !== undefined && !Number.isSafeInteger(after))
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no page ${String(cursor)}.`)
    const page = await tasks.list(principal, after)
    return {
      tasks: page.tasks.map(olderTask),
      nextCursor: page.next === undefined ? undefined : String(page.next),
    }
  })
  server.setRequestHandler('tasks/result', { params: anyParams }, async ({ taskId }, { mcpReq }) => {
    const id = String(taskId)
    for (;;) {
      const task = await found(tasks.get(id, principal))
      if (task.state === 'cancelled') throw new ProtocolError(taskCancelled, `The task ${id} was cancelled.`)
      if (task.outcome) return withRelated(resultOf(clientCatalog, task), id)
      if (task.questions) await askHere(tasks, clientCatalog, task, mcpReq)
      else await wait(lookMs, undefined, { signal: mcpReq.signal })
    }
  })
}

/** A client of the older era is asked on the stream of the request by which it waits for the result. */
async function askHere(
  tasks: Tasks,
  { principal }: ClientCatalog,
  { id, questions = {} }: Task,
  mcpReq: ServerContext['mcpReq'],
): Promise<void> {
  // A person may take long; the client stops waiting for the result where it does not want to.
  const untilCancelled = { signal: mcpReq.signal, timeout: 0x7fff_ffff }
  const answers = Object.entries(questions).map(async ([key, { method, params }]) => {
    const related = { ...params, _meta: { [relatedTask]: { taskId: id } } }
    return [key, await mcpReq.send({ method, params: related as never }, untilCancelled)] as const
  })
  await tasks.answer(id, Object.fromEntries(await Promise.all(answers)), principal)
}

function resultOf(clientCatalog: ClientCatalog, { tool: id, outcome }: Task): CallToolResult {
  return toolResult(clientCatalog.crib, clientCatalog.crib.find(id), outcome!)
}

function withRelated(result: CallToolResult, taskId: string): CallToolResult {
  return { ...result, _meta: { ...result._meta, [relatedTask]: { taskId } } }
}

const olderStates = { working: 'working', input_required: 'input_required', cancelled: 'cancelled' } as const

function olderTask({ id, state, message, createdAt, updatedAt, outcome }: Task): { [key: string]: unknown } {
  return {
    taskId: id,
    status: state === 'done' ? (outcome?.ok ? 'completed' : 'failed') : olderStates[state],
    statusMessage: message ?? (outcome && !outcome.ok ? outcome.error.message : undefined),
    createdAt,
    lastUpdatedAt: updatedAt,
    ttl: keptMs,
    pollInterval: pollMs,
  }
}

/** A tool that failed has given a result, which says so: `failed` is for errors of the protocol. */
function modernTask(task: Task): { [key: string]: unknown } {
  const { id, state, message, createdAt, updatedAt } = task
  const status = state === 'done' ? (failureOf(task) ? 'failed' : 'completed') : olderStates[state]
  return {
    taskId: id,
    status,
    statusMessage: message,
    createdAt,
    lastUpdatedAt: updatedAt,
    ttlMs: keptMs,
    pollIntervalMs: pollMs,
  }
}

function detailed(clientCatalog: ClientCatalog, task: Task): { [key: string]: unknown } {
  const { state, questions } = task
  const error = failureOf(task)
  const result = state === 'done' && !error ? resultOf(clientCatalog, task) : undefined
  return { ...modernTask(task), result, error, inputRequests: questions }
}

function failureOf({ outcome }: Task): ProtocolFailure | undefined {
  return outcome && !outcome.ok ? protocolFailureIn(outcome.error) : undefined
}
