// Takes secret values out of a text that comes in pieces: what may be the beginning of one waits for the next piece.
import type { Scrubber } from './scrub.ts'

export interface ScrubbedStream {
  write(text: string): void
  /** Lets go of what is held back: the text goes no further here. */
  flush(): void
}

export function scrubStream(scrubber: Scrubber, send: (text: string) => void): ScrubbedStream {
  if (scrubber.longest === 0) return { write: send, flush() {} }
  let held = ''
  const release = (end: number) => {
    const text = held.slice(0, end)
    held = held.slice(end)
    if (text !== '') send(text)
  }
  return {
    write(text) {
      held = scrubber.text(held + text)
      // With `\u` escapes a value is up to six times as long.
      const longest = scrubber.longest * (held.includes('\\') ? 6 : 1)
      release(Math.max(0, held.length - (longest - 1)))
    },
    flush: () => release(held.length),
  }
}
