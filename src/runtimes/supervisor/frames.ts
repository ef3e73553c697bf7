// What a crib and its starter say to each other over one two-way pipe: length, kind, number of the process, bytes.
import type { Writable } from 'node:stream'

export const kinds = {
  /** A process to start, as JSON. */
  start: 1,
  /** Bytes for its input, and the end of them. */
  input: 2,
  inputEnd: 3,
  /** Nobody wants its output any more. */
  drop: 4,
  /** The starter is there. */
  ready: 5,
  /** It runs; its pid, as JSON. */
  started: 6,
  /** It could not be started; why, as JSON. */
  failed: 7,
  stdout: 8,
  stdoutEnd: 9,
  stderr: 10,
  stderrEnd: 11,
  /** It is gone; how, as JSON. */
  exit: 12,
  /** It is gone, and nobody holds its output any more. */
  close: 13,
} as const

export type Kind = (typeof kinds)[keyof typeof kinds]

const headBytes = 9

/** False when the other side should be given time to read. */
export function writeFrame(
  channel: Writable,
  kind: Kind,
  id: number,
  body?: string | Uint8Array,
  done?: () => void,
): boolean {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  const frame = Buffer.allocUnsafe(headBytes + (bytes?.length ?? 0))
  frame.writeUInt32LE(bytes?.length ?? 0, 0)
  frame.writeUInt8(kind, 4)
  frame.writeUInt32LE(id, 5)
  if (bytes) frame.set(bytes, headBytes)
  return channel.write(frame, done)
}

/** Takes chunks as they come and gives whole frames. */
export function frameReader(onFrame: (kind: Kind, id: number, body: Buffer) => void) {
  let parts: Buffer[] = []
  let held = 0
  let wanted = headBytes
  return (chunk: Buffer): void => {
    parts.push(chunk)
    held += chunk.length
    if (held < wanted) return
    const bytes = parts.length === 1 ? chunk : Buffer.concat(parts, held)
    let at = 0
    wanted = headBytes
    while (bytes.length - at >= headBytes) {
      const end = at + headBytes + bytes.readUInt32LE(at)
      if (end > bytes.length) {
        wanted = end - at
        break
      }
      onFrame(
        bytes.readUInt8(at + 4) as Kind,
        bytes.readUInt32LE(at + 5),
        bytes.subarray(at + headBytes, end),
      )
      at = end
    }
    held = bytes.length - at
    parts = held > 0 ? [bytes.subarray(at)] : []
  }
}
