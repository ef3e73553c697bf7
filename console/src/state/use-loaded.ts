// Loads something for a component: loading, loaded or failed, and again on demand. A newer load wins over an
// older one, and what was shown stays until the new answer is there.
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import type { ApiError } from '../api/client.ts'

export interface Loaded<T> {
  readonly data: T | null
  readonly error: ApiError | null
  readonly isLoading: boolean
  reload(): void
}

export function useLoaded<T>(
  load: (signal: AbortSignal) => Promise<T>,
  dependencies: readonly unknown[],
): Loaded<T> {
  const [state, setState] = useState<{ data: T | null; error: ApiError | null; isLoading: boolean }>({
    data: null,
    error: null,
    isLoading: true,
  })
  const current = useRef<AbortController | null>(null)
  const start = useCallback(() => {
    current.current?.abort()
    const stop = new AbortController()
    current.current = stop
    setState((before) => ({ ...before, isLoading: true }))
    load(stop.signal).then(
      (data) => {
        if (!stop.signal.aborted) setState({ data, error: null, isLoading: false })
      },
      (error) => {
        if (!stop.signal.aborted) setState((before) => ({ data: before.data, error, isLoading: false }))
      },
    )
  }, dependencies)
  useEffect(() => {
    start()
    return () => current.current?.abort()
  }, [start])
  return { ...state, reload: start }
}
