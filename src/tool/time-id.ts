// Ids that sort by time (UUID version 7): new rows land at the end of an index instead of all over it, and what a run
// caused is found behind it, also within one millisecond. One is made for every call, so the digits of chance and of the
// minute are made many at a time.
import { randomBytes } from 'node:crypto'

const digitsPerId = 20
const bytes = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

let digits = ''
let used = 0
let minute = -1
let minuteText = ''
let lastMs = -1
/** The twelve bits behind the moment: chance for the first id of a millisecond, one more for each that follows. */
let step = 0

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
  // Half of the steps are left to count on; whoever makes more in a millisecond begins again.
  const isNext = ms === lastMs && step < 0xfff
  step = isNext ? step + 1 : Number.parseInt(digits.slice(at, at + 3), 16) & 0x7ff
  lastMs = ms
  const rest = ms - past * 65_536
  const variant = '89ab'[Number.parseInt(digits[at + 3]!, 16) & 3]
  return (
    `${minuteText}-${bytes[rest >> 8]}${bytes[rest & 255]}-7${step.toString(16).padStart(3, '0')}-` +
    `${variant}${digits.slice(at + 4, at + 7)}-${digits.slice(at + 7, at + 19)}`
  )
}
