// Which calls are in a process, and which of them hears what it says? What a process says of calls that it never got, or
// without end, is forged.
import type { LogLevel } from '../tool/outcome.ts'
import type { CallListener } from './call-listener.ts'
import { cutText } from './call-log.ts'

interface Running {
  readonly listener: CallListener
  /** Length of what the worker sent for its log, kept or not. */
  heard: number
}

const maxLateMessages = 10_000
const maxEarlyLines = 100

export class CallsInWorker {
  readonly #caps: { readonly logBytes: number; readonly logLineBytes: number }
  readonly #onFault: (fault: string) => void
  readonly #calls = new Map<number, Running>()
  /** How many there are; kept up by itself alone. */
  size = 0
  readonly #early: { level: LogLevel; message: string }[] = []
  #lastCall = 0
  #lateMessages = 0

  /** `onFault`: told what the process did that no honest one does. */
  constructor(
    caps: { readonly logBytes: number; readonly logLineBytes: number },
    onFault: (fault: string) => void,
  ) {
    this.#caps = caps
    this.#onFault = onFault
  }

  /** The number of the one call there is; undefined when there is another number of calls. */
  get onlyId(): number | undefined {
    return this.#calls.size === 1 ? this.#calls.keys().next().value : undefined
  }

  /** Gives a call its number. The first one hears what was said before there was any. */
  add(listener: CallListener): number {
    const id = ++this.#lastCall
    this.#calls.set(id, { listener, heard: 0 })
    this.size++
    if (this.#early.length > 0)
      for (const line of this.#early.splice(0)) listener.line(line.level, line.message)
    return id
  }

  get(id: number): CallListener | undefined {
    return this.#calls.get(id)?.listener
  }

  /** The listener of a call that the process speaks of; what it says of one that is over is dropped. */
  listener(id: number): CallListener | undefined {
    const running = this.#calls.get(id)
    if (running) return running.listener
    if (id === 0 || id > this.#lastCall) this.#onFault('spoke of a call it never got')
    else if (++this.#lateMessages > maxLateMessages) this.#onFault('keeps talking about calls that are over')
    return undefined
  }

  /** A program stops at the cap of its log; a log that goes on is forged. */
  count(id: number, length: number): void {
    const running = this.#calls.get(id)
    if (!running) return
    running.heard += length
    if (running.heard > this.#caps.logBytes * 8) this.#onFault('flooded its log')
  }

  /** A line that nobody knows whose it is. */
  logToAll(level: LogLevel, message: string): void {
    for (const { listener } of this.#calls.values()) listener.line(level, message)
    if (this.#calls.size === 0 && this.#early.length < maxEarlyLines)
      this.#early.push({ level, message: cutText(message, this.#caps.logLineBytes) })
  }

  delete(id: number): boolean {
    const isKnown = this.#calls.delete(id)
    if (isKnown) this.size--
    return isKnown
  }

  /** Those that are still there, which are then gone. */
  takeAll(): [id: number, listener: CallListener][] {
    const all = [...this.#calls].map(([id, { listener }]): [number, CallListener] => [id, listener])
    this.#calls.clear()
    this.size = 0
    return all
  }
}
