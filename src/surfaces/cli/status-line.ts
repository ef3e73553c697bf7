// A line on the terminal while something takes longer than a second. On anything but a terminal it is silent. It takes
// the whole line, so it is drawn only where the cursor stands at the start of one that is free.
import type { Progress } from '../../tool/outcome.ts'
import { plain } from './style.ts'

export class StatusLine {
  /** What takes so long. */
  label: string
  readonly #isFree: () => boolean
  readonly #started = Date.now()
  #timer: NodeJS.Timeout | undefined
  #text = ''
  #isShown = false

  /** `isFree`: whether the line of the cursor may be taken now. */
  constructor(label: string, isWanted: boolean, isFree: () => boolean) {
    this.label = label
    this.#isFree = isFree
    if (isWanted && process.stderr.isTTY) {
      this.#timer = setInterval(() => this.#draw(), 250)
      this.#timer.unref()
    }
  }

  progress({ done, total, message }: Progress): void {
    // Few steps are counted, many are a share.
    const share = !total
      ? String(done)
      : total <= 100
        ? `${done}/${total}`
        : `${Math.floor((100 * done) / total)}%`
    // One line: a tool's text must not move the cursor or end the line.
    this.#text = ` ${share}${message ? ` ${plain(message).replaceAll('\n', ' ')}` : ''}`
  }

  /** Removes the line so that other text can be written. */
  clear(): void {
    if (this.#isShown) process.stderr.write('\r\u001b[2K')
    this.#isShown = false
  }

  end(): void {
    clearInterval(this.#timer)
    this.clear()
  }

  #draw(): void {
    const seconds = Math.floor((Date.now() - this.#started) / 1000)
    if (seconds < 1 || !this.#isFree()) return
    const line = `${this.label} … ${seconds}s${this.#text}`.slice(0, (process.stderr.columns ?? 80) - 1)
    process.stderr.write(`\r\u001b[2K${line}`)
    this.#isShown = true
  }
}
