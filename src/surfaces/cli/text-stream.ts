// A model's text as it is written. On a terminal it goes where the result goes; into a pipe goes only the result,
// and the text is a note.
import type { Session } from './session.ts'
import { plain } from './style.ts'

export class TextStream {
  readonly #isOut = process.stdout.isTTY === true
  readonly #isWanted: boolean
  #text = ''

  constructor(session: Session) {
    this.#isWanted = !session.json && (this.#isOut || !session.quiet)
  }

  write(text: string): void {
    if (!this.#isWanted) return
    this.#text += text
    ;(this.#isOut ? process.stdout : process.stderr).write(plain(text))
  }

  /** Whether the text stopped inside a line. */
  get isMidLine(): boolean {
    return this.#text !== '' && !this.#text.endsWith('\n')
  }

  /** Ends the line, so that something else can be written. */
  pause(): void {
    if (this.isMidLine) this.write('\n')
  }

  /** Whether the result stands on stdout already. */
  hasShown(value: unknown): boolean {
    return (
      this.#isOut &&
      typeof value === 'string' &&
      value !== '' &&
      this.#text.trimEnd().endsWith(value.trimEnd())
    )
  }
}
