// A foreign server's call that is a task there: begun, looked after until it has ended, its result taken (U7). Servers of
// 2025-11-25 are asked for it, those of 2026-07-28 answer with one by themselves.
import { setTimeout as wait } from 'node:timers/promises'
import {
  CLIENT_CAPABILITIES_META_KEY,
  type Client,
  ProtocolError,
  type RequestOptions,
  SdkError,
  SdkErrorCode,
  type Transport,
} from '@modelcontextprotocol/client'
import { isPlainObject, type JsonObject } from '../../tool/json.ts'
import { ToolError } from '../../tool/tool-error.ts'
import { answersTo } from './answers-to.ts'
import type { Caller } from './ask-caller.ts'
import { anyResult } from './raw-result.ts'

/** What a client of 2026-07-28 states that can be answered with a task. */
export const knowsTasks = { extensions: { 'io.modelcontextprotocol/tasks': {} } }

/** How often a task is looked after, whatever its server says. */
const pollMs = { least: 50, usual: 1_000, most: 10_000 }
const askMs = 60_000

interface TaskOfServer {
  readonly taskId: string
  readonly status: string
  readonly statusMessage?: unknown
  readonly pollInterval?: unknown
  readonly pollIntervalMs?: unknown
}

/** The task that an answer is the handle of; undefined for a result. */
export function taskIn(answer: JsonObject): TaskOfServer | undefined {
  const found = answer[handle] === true ? answer : answer['task']
  const isTask =
    isPlainObject(found) && typeof found['taskId'] === 'string' && typeof found['status'] === 'string'
  return isTask ? (found as unknown as TaskOfServer) : undefined
}

export interface Following {
  readonly options: Pick<RequestOptions, 'signal'>
  readonly caller: Caller
  /** Told what its server says of it. */
  onStatus?(message: string): void
}

/** The result of the task, whenever that is there; a call that is stopped stops the task. */
export async function resultOfTask(
  client: Client,
  begun: TaskOfServer,
  { options, caller, onStatus }: Following,
): Promise<JsonObject> {
  const { taskId } = begun
  const isModern = client.getProtocolEra() === 'modern'
  const known = { taskId, ...(isModern && { _meta: { [CLIENT_CAPABILITIES_META_KEY]: knowsTasks } }) }
  const ask = (method: string, params: object = {}, timeout = askMs) =>
    client.request({ method, params: { ...known, ...params } } as never, anyResult, { ...options, timeout })
  let said: unknown
  try {
    for (let task: JsonObject | TaskOfServer = begun; ; ) {
      if (typeof task.statusMessage === 'string' && task.statusMessage !== said) {
        said = task.statusMessage
        onStatus?.(task.statusMessage)
      }
      if (task.status === 'cancelled')
        throw new ToolError('TOOL_FAILED', 'The server cancelled the task of this call.')
      if (!isModern && task.status !== 'working')
        // It waits there where something is asked, and gives the result in the end; the kernel keeps the time.
        return await ask('tasks/result', {}, 0x7fff_ffff)
      if (task.status === 'completed') return resultIn(task as JsonObject)
      if (task.status === 'failed') throw failureIn(task as JsonObject)
      if (task.status === 'input_required') {
        const asked = (task as JsonObject)['inputRequests']
        const inputResponses = await answersTo(asked, caller, options.signal)
        await ask('tasks/update', { inputResponses })
      } else await pause(waitOf(task as TaskOfServer), options.signal)
      task = await ask('tasks/get')
    }
  } catch (error) {
    if (options.signal?.aborted)
      client
        .request({ method: 'tasks/cancel', params: known } as never, anyResult, { timeout: askMs })
        .catch(() => {})
    throw error
  }
}

/**
 * Lets answers through that are the handle of a task: the SDK knows no such result of a call in 2026-07-28. They are
 * marked, so that no server can pass a result off as one.
 */
export function letTasksThrough(transport: Transport): void {
  const { onmessage } = transport
  transport.onmessage = (message, extra) => {
    const { result } = message as { readonly result?: unknown }
    if (isPlainObject(result)) {
      delete result[handle]
      if (result['resultType'] === 'task')
        Object.assign(result, { resultType: 'complete', content: [], [handle]: true })
    }
    onmessage?.call(transport, message, extra)
  }
}

const handle = 'toolcrib/task'

function resultIn(task: JsonObject): JsonObject {
  const { result } = task
  if (isPlainObject(result)) {
    const { resultType: _, ...rest } = result
    return rest as JsonObject
  }
  throw new SdkError(SdkErrorCode.InvalidResult, 'a task that ended has no result')
}

function failureIn({ error }: JsonObject): unknown {
  const { code, message, data } = isPlainObject(error) ? error : {}
  return new ProtocolError(Number(code ?? -32_603), String(message ?? 'The task failed.'), data)
}

function waitOf({ pollInterval, pollIntervalMs }: TaskOfServer): number {
  const wished = Number(pollIntervalMs ?? pollInterval ?? pollMs.usual)
  return Math.min(Math.max(wished || pollMs.usual, pollMs.least), pollMs.most)
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return wait(ms, undefined, { signal }).catch(() => {
    throw signal!.reason
  })
}
