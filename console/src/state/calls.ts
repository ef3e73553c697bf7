// Calls that this browser began. They belong to the server: leaving a page, a tab or the browser ends none of them, and
// whoever comes back finds the call where it is.
import { type Signal, signal } from '@preact/signals'
import { type ApiError, ask, idPath, problemOf } from '../api/client.ts'
import { follow } from '../api/follow.ts'
import type { LogLine, Outcome, Progress, RunDetail, RunGuard, Span } from '../api/types.ts'
import { say } from '../words/say.ts'
import { announce } from './notices.ts'

export interface CallState {
  readonly isRunning: boolean
  readonly runId: string | null
  readonly run: Partial<RunDetail> | null
  readonly startedMs: number
  readonly logs: readonly LogLine[]
  readonly spans: readonly Span[]
  readonly guards: readonly RunGuard[]
  readonly children: readonly { readonly runId: string; readonly tool: string }[]
  readonly text: string
  readonly progress: Progress | null
  readonly outcome: Outcome | null
  readonly error: ApiError | null
}

const idle: CallState = {
  isRunning: false,
  runId: null,
  run: null,
  startedMs: 0,
  logs: [],
  spans: [],
  guards: [],
  children: [],
  text: '',
  progress: null,
  outcome: null,
  error: null,
}
const mostLogs = 2_000
const mostFollowed = 50
/** A tool may say much in a moment: what it said is drawn together. */
const drawMs = 50
const calls = new Map<string, Signal<CallState>>()
const followed = new Map<string, Signal<CallState>>()
const storageKey = (tool: string) => `toolcrib-call:${tool}`

/** The tool whose page is to begin a call when it is ready: asked by a key and never by an address, which others write. */
export const wantedRun = signal<string | null>(null)

/** The call of a tool that was begun here last; after a reload it is followed again. */
export function callOf(tool: string): Signal<CallState> {
  let call = calls.get(tool)
  if (!call) {
    const runId = sessionStorage.getItem(storageKey(tool))
    call = runId ? followRun(runId) : signal(idle)
    calls.set(tool, call)
  }
  return call
}

/** Begins a call. Resolves when the server has it. */
export async function beginCall(tool: string, params: unknown): Promise<void> {
  const call = callOf(tool)
  call.value = { ...idle, isRunning: true, startedMs: Date.now() }
  try {
    const response = await ask(`/api/tools/${idPath(tool)}/call`, {
      method: 'POST',
      body: { params },
      headers: { prefer: 'respond-async' },
    })
    if (!response.ok) throw await problemOf(response)
    const { runId } = (await response.json()) as { runId: string }
    sessionStorage.setItem(storageKey(tool), runId)
    calls.set(tool, call)
    listen(runId, call)
  } catch (error) {
    call.value = { ...idle, error: error as ApiError }
  }
}

/** A run as it happens, whoever began it. */
export function followRun(runId: string): Signal<CallState> {
  let run = followed.get(runId)
  if (!run) {
    run = signal<CallState>({ ...idle, isRunning: true, runId, startedMs: Date.now() })
    listen(runId, run)
  }
  return run
}

export async function cancelRun(runId: string): Promise<void> {
  const answer = await ask(`/api/runs/${idPath(runId)}/cancel`, { method: 'POST' })
  if (!answer.ok) announce(say('The run has already ended.'), true)
}

function listen(runId: string, call: Signal<CallState>): void {
  if (followed.size >= mostFollowed) followed.delete(followed.keys().next().value!)
  followed.set(runId, call)
  const stop = new AbortController()
  let state: CallState = { ...call.value, runId, isRunning: true }
  let timer: ReturnType<typeof setTimeout> | undefined
  const draw = () => {
    clearTimeout(timer)
    timer = undefined
    call.value = state
  }
  const update = (change: Partial<CallState>) => {
    state = { ...state, ...change }
    timer ??= setTimeout(draw, drawMs)
  }
  draw()
  void follow(`/api/runs/${idPath(runId)}/events`, {
    signal: stop.signal,
    onRefused: (error) => {
      followed.delete(runId)
      update({ isRunning: false, error })
      draw()
    },
    onEvent: ({ event, data }) => {
      const value = JSON.parse(data)
      const { logs, spans, children, text } = state
      if (event === 'state') update({ run: value, startedMs: Date.parse(value.startedAt) })
      else if (event === 'log') update({ logs: [...logs.slice(-mostLogs), value] })
      else if (event === 'progress') update({ progress: value })
      else if (event === 'text') update({ text: text + value.text })
      else if (event === 'child') update({ children: [...children, value] })
      else if (event === 'guard' && value.guards) update({ guards: value.guards })
      else if (event === 'guard') update({ spans: [...spans, value.span] })
      else if (event === 'outcome') {
        stop.abort()
        update({ isRunning: false, outcome: value })
        draw()
      }
    },
  })
}
