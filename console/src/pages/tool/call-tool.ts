// One call of a tool, followed as it happens: logs and progress, then the outcome.
import { ApiError, ask, idPath, problemOf } from '../../api/client.ts'
import { readEvents } from '../../api/event-stream.ts'
import type { LogLine, Outcome, Progress } from '../../api/types.ts'

export interface CallWatcher {
  onStart(runId: string): void
  onLog(line: LogLine): void
  onProgress(progress: Progress): void
}

/** Resolves with the outcome; rejects with an ApiError when the call could not even begin. */
export async function callTool(
  id: string,
  params: unknown,
  watcher: CallWatcher,
  signal: AbortSignal,
): Promise<Outcome> {
  const response = await ask(`/api/tools/${idPath(id)}/call`, {
    method: 'POST',
    body: { params },
    headers: { accept: 'text/event-stream' },
    signal,
  })
  if (!response.ok) throw await problemOf(response)
  watcher.onStart(response.headers.get('toolcrib-run-id') ?? '')
  for await (const { event, data } of readEvents(response)) {
    const value = JSON.parse(data)
    if (event === 'log') watcher.onLog(value)
    else if (event === 'progress') watcher.onProgress(value)
    else if (event === 'outcome') return value as Outcome
  }
  throw new ApiError(0, {
    code: 'INTERRUPTED',
    detail: 'The connection ended before the outcome came.',
    hint: 'See the list of runs for what became of the call.',
  })
}
