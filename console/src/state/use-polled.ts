// Loads something and keeps it fresh while the page is looked at.
import { useEffect } from 'preact/hooks'
import { type Loaded, useLoaded } from './use-loaded.ts'

const refreshMs = 3_000

export function usePolled<T>(load: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const loaded = useLoaded(load, [])
  const { reload } = loaded
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) reload()
    }, refreshMs)
    return () => clearInterval(timer)
  }, [])
  return loaded
}
