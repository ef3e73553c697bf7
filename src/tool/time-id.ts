// Ids that sort by time (UUID version 7): new rows land at the end of an index instead of all over it.
import { randomBytes } from 'node:crypto'

let pool = Buffer.alloc(0)
let used = 0

/** A UUID v7 of the given moment; by default of now. */
export function timeId(nowMs: number = Date.now()): string {
  if (used + 10 > pool.length) {
    pool = randomBytes(640)
    used = 0
  }
  const hex = pool.toString('hex', used, used + 10)
  used += 10
  const time = Math.floor(nowMs).toString(16).padStart(12, '0')
  const variant = ((Number.parseInt(hex[3]!, 16) & 3) | 8).toString(16)
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hex.slice(0, 3)}-${variant}${hex.slice(4, 7)}-${hex.slice(7, 19)}`
}
