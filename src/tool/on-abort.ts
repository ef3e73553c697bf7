// Listening to a signal, whether it has fired already or not.

/** Calls back when the signal fires, at once when it did; gives what takes the listener away again. */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  if (signal.aborted) {
    listener()
    return () => {}
  }
  signal.addEventListener('abort', listener, { once: true })
  return () => signal.removeEventListener('abort', listener)
}
