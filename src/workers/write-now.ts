// Writes a message to a child at once. The way through a stream takes longer than a small message is worth, so it is
// gone only where the pipe is full or something already waits in the stream.
import { writeSync } from 'node:fs'
import type { Writable } from 'node:stream'

export function writeNow(channel: Writable, text: string): void {
  const { _handle: handle } = channel as { readonly _handle?: { readonly fd?: number } | null }
  const fd = handle?.fd ?? -1
  if (fd < 0 || channel.writableLength > 0 || !channel.writable) return void channel.write(text)
  let written = 0
  try {
    written = writeSync(fd, text)
  } catch {
    // Full for now, or closed at the other end: the stream waits, or says so in its own way.
  }
  if (written === Buffer.byteLength(text)) return
  const bytes = Buffer.from(text)
  channel.write(written === 0 ? bytes : bytes.subarray(written))
}
