// Ids that sort by time (UUID version 7): new rows land at the end of an index instead of all over it. One is made for
// every call, so the digits of chance and of the minute are made many at a time.
import { randomBytes } from 'node:crypto'

const digitsPerId = 20
const bytes = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

let digits = ''
let used = 0
let minute = -1
let minuteText = ''

/** A UUID v7 of the given moment; by default of now. */
export function timeId(nowMs: number = Date.now()): string {
  if (used + digitsPerId > digits.length) {
    digits = randomBytes(640).toString('hex')
    used = 0
  }
  const at = used
  used += digitsPerId
  const ms = Math.floor(nowMs)
  const past = Math.floor(ms / 65_536)
  if (past !== minute) {
    minute = past
    minuteText = past.toString(16).padStart(8, '0')
  }
  const rest = ms - past * 65_536
  const variant = '89ab'[Number.parseInt(digits[at + 3]!, 16) & 3]
  return (
    `${minuteText}-${bytes[rest >> 8]}${bytes[rest & 255]}-7${digits.slice(at, at + 3)}-` +
    `${variant}${digits.slice(at + 4, at + 7)}-${digits.slice(at + 7, at + 19)}`
  )
}
