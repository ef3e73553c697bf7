// Keeps the first bytes of a stream and drops the rest while still reading, so that a flood neither fills
// memory nor blocks the child. Text is cut between characters.
import type { Readable } from 'node:stream'

export interface Captured {
  readonly text: string
  readonly bytes: number
  readonly truncated: boolean
}

export class Capture {
  readonly #chunks: Buffer[] = []
  readonly #maxBytes: number
  #kept = 0
  #seen = 0
  readonly ended: Promise<void>

  constructor(stream: Readable, maxBytes: number, onChunk?: (chunk: Buffer) => void) {
    this.#maxBytes = maxBytes
    stream.on('data', (chunk: Buffer) => {
      this.#take(chunk)
      onChunk?.(chunk)
    })
    this.ended = new Promise((resolve) => {
      stream.once('end', resolve)
      stream.once('close', resolve)
      stream.once('error', () => resolve())
    })
  }

  #take(chunk: Buffer): void {
    this.#seen += chunk.length
    const room = this.#maxBytes - this.#kept
    if (room <= 0) return
    const part = chunk.length > room ? Buffer.from(chunk.subarray(0, room)) : chunk
    this.#chunks.push(part)
    this.#kept += part.length
  }

  get isTruncated(): boolean {
    return this.#seen > this.#kept
  }

  result(): Captured {
    const truncated = this.isTruncated
    const whole = Buffer.concat(this.#chunks)
    return {
      text: (truncated ? whole.subarray(0, cutPoint(whole)) : whole).toString('utf8'),
      bytes: this.#seen,
      truncated,
    }
  }
}

/** Where to cut so that no multi-byte character is split. */
function cutPoint(bytes: Buffer): number {
  let end = bytes.length
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back]!
    if ((byte & 0b1100_0000) === 0b1100_0000) {
      const need = byte >= 0b1111_0000 ? 4 : byte >= 0b1110_0000 ? 3 : 2
      if (need > back) end = bytes.length - back
      break
    }
    if ((byte & 0b1000_0000) === 0) break
  }
  return end
}
