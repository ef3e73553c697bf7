// Tells somebody when a resource of a foreign server changes, also after its connection was lost and came back.
import type { Connection } from './connection.ts'

/** Between two tries to take a lost subscription up again. */
const firstPauseMs = 1_000
const maxPauseMs = 60_000

export interface Watch {
  /** Its address at the server. */
  readonly uri: string
  /** The connection to use now; a closed one is never given again. */
  connect(): Promise<Connection>
  /** Given the address of what changed: the resource, or one below it. */
  onUpdated(uri: string): void
}

/** Resolves when the server has agreed; gives back how to stop. */
export async function watchResource(watch: Watch, signal: AbortSignal): Promise<() => void> {
  let isOver = false
  let leave: (() => void) | undefined
  let timer: NodeJS.Timeout | undefined
  const listener = {
    onUpdated: (uri: string) => {
      if (!isOver) watch.onUpdated(uri)
    },
    onLost: () => again(firstPauseMs),
  }
  const subscribe = async (until?: AbortSignal) => {
    const connection = await watch.connect()
    leave = await connection.subscribe(watch.uri, listener, until ?? AbortSignal.timeout(maxPauseMs))
    if (isOver) leave()
  }
  const again = (pauseMs: number) => {
    if (isOver) return
    timer = setTimeout(() => {
      subscribe().then(
        // What changed meanwhile was told to nobody.
        () => listener.onUpdated(watch.uri),
        () => again(Math.min(2 * pauseMs, maxPauseMs)),
      )
    }, pauseMs).unref()
  }
  await subscribe(signal)
  return () => {
    isOver = true
    clearTimeout(timer)
    leave?.()
  }
}
