// The state of the call a page makes: nothing yet, running, or done.
import { useEffect, useRef, useState } from 'preact/hooks'
import { type ApiError, ask } from '../../api/client.ts'
import type { LogLine, Outcome, Progress } from '../../api/types.ts'
import { callTool } from './call-tool.ts'

export interface CallState {
  readonly isRunning: boolean
  readonly runId: string | null
  readonly logs: readonly LogLine[]
  readonly progress: Progress | null
  readonly outcome: Outcome | null
  readonly error: ApiError | null
}

const idle: CallState = {
  isRunning: false,
  runId: null,
  logs: [],
  progress: null,
  outcome: null,
  error: null,
}
const mostLogs = 2_000

export function useCall(id: string) {
  const [state, setState] = useState<CallState>(idle)
  const stop = useRef<AbortController | null>(null)
  const runId = useRef<string | null>(null)
  useEffect(() => () => stop.current?.abort(), [])

  const run = async (params: unknown): Promise<Outcome | null> => {
    stop.current?.abort()
    const controller = new AbortController()
    stop.current = controller
    runId.current = null
    const update = (change: (before: CallState) => Partial<CallState>) => {
      if (stop.current === controller) setState((before) => ({ ...before, ...change(before) }))
    }
    setState({ ...idle, isRunning: true })
    try {
      const outcome = await callTool(
        id,
        params,
        {
          onStart: (started) => {
            runId.current = started
            update(() => ({ runId: started }))
          },
          onLog: (line) => update((before) => ({ logs: [...before.logs.slice(-mostLogs), line] })),
          onProgress: (progress) => update(() => ({ progress })),
        },
        controller.signal,
      )
      update(() => ({ isRunning: false, outcome }))
      return outcome
    } catch (error) {
      update(() => ({ isRunning: false, error: error as ApiError }))
      return null
    }
  }

  /** Asks the server to stop the call, so that the outcome says so; leaves when it does not know the call. */
  const cancel = async () => {
    if (runId.current === null) stop.current?.abort()
    else await ask(`/api/runs/${runId.current}/cancel`, { method: 'POST' }).catch(() => stop.current?.abort())
  }

  return { state, run, cancel, reset: () => setState(idle) }
}
