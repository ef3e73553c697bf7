// MCP over the streams of a supervised child. The SDK's own stdio transport starts processes itself; here only
// the supervisor does.
import { deserializeMessage, serializeMessage, type Transport } from '@modelcontextprotocol/client'
import { ToolError } from '../../tool/tool-error.ts'
import { LineReader } from '../../workers/line-reader.ts'
import type { Child } from '../../workers/supervisor.ts'

const tailChars = 4_096
/** Of a program that sends no message at all, so many lines are shown. */
const shownLines = 5
const shownChars = 200
/** What only a client says. */
const greeting = /"method"\s*:\s*"initialize"/

export class ChildTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: Transport['onmessage']
  /** Told what the server writes to its standard error. */
  onSaid?: (text: string) => void
  /** Takes out of what it printed what nobody may read. */
  clean: (text: string) => string = (text) => text
  /** Why it was cut off, where that was our doing. */
  fault: ToolError | undefined
  readonly #child: Child
  readonly #name: string
  readonly #maxBytes: number
  /** Whole lines not handled yet: at most those of one chunk, for nothing more is read meanwhile. */
  #lines: string[] = []
  #nextLine = 0
  readonly #reader: LineReader
  #tail = ''
  #hasSpoken = false
  readonly #printed: string[] = []
  #isClosed = false
  #isPaused = false

  constructor(child: Child, name: string, maxBytes: number) {
    this.#child = child
    this.#name = name
    this.#maxBytes = maxBytes
    this.#reader = new LineReader({
      maxBytes,
      onLine: (line) => this.#lines.push(line),
      onTooLong: () => this.#cutOff(),
    })
  }

  /** The last of what the server wrote to its standard error, for messages. */
  get tail(): string {
    return this.#tail.trim()
  }

  /** Why nothing can come of it: what it printed is no MCP. Undefined where it printed nothing, or spoke MCP too. */
  get notMcp(): ToolError | undefined {
    return this.#hasSpoken || this.#printed.length === 0 ? undefined : notMcp(this.#name, this.#printed)
  }

  async start(): Promise<void> {
    const { stdout, stderr, exited } = this.#child
    stderr.on('data', (chunk: Buffer) => {
      const text = chunk.toString('utf8')
      this.#tail = (this.#tail + text).slice(-tailChars)
      this.onSaid?.(text)
    })
    stdout.on('data', (chunk: Buffer) => this.#take(chunk))
    exited.then(() => setImmediate(() => this.#closed()))
  }

  #take(chunk: Buffer): void {
    this.#reader.take(chunk)
    if (!this.fault) this.#deliver()
  }

  #cutOff(): void {
    this.#child.stdout.removeAllListeners('data').resume()
    this.fault = messageTooLarge(this.#name, this.#maxBytes)
    this.onerror?.(this.fault)
    void this.close()
  }

  #deliver(): void {
    while (!this.#isPaused && this.#nextLine < this.#lines.length) {
      const line = this.#lines[this.#nextLine++]!
      if (greeting.test(line)) this.#strayed(line)
      try {
        const message = deserializeMessage(line)
        this.#hasSpoken = true
        this.onmessage?.(message)
        if (!('id' in message)) this.#pause()
      } catch (error) {
        // A line that is no message is the server's chatter; the next line may be one.
        this.onerror?.(error as Error)
        this.#strayed(line)
      }
    }
    if (this.#nextLine < this.#lines.length) return
    this.#lines = []
    this.#nextLine = 0
  }

  /** A program that prints our own greeting works on what it is given, and will never greet back. */
  #strayed(line: string): void {
    if (this.#hasSpoken || this.fault || line.trim() === '') return
    if (this.#printed.length < shownLines) this.#printed.push(this.clean(line).slice(0, shownChars))
    if (!greeting.test(line)) return
    this.fault = this.notMcp
    void this.close()
  }

  /**
   * The SDK handles notices a moment later than answers: progress before an answer would come too late. Nothing is
   * read meanwhile, so that a server that floods notices waits and fills no memory.
   */
  #pause(): void {
    this.#isPaused = true
    this.#child.stdout.pause()
    setImmediate(() => {
      this.#isPaused = false
      this.#deliver()
      if (!this.#isPaused) this.#child.stdout.resume()
    })
  }

  send(message: Parameters<Transport['send']>[0]): Promise<void> {
    if (this.#isClosed) return Promise.reject(new Error('the server is gone'))
    return new Promise((resolve, reject) => {
      this.#child.stdin.write(serializeMessage(message), (error) => (error ? reject(error) : resolve()))
    })
  }

  /** Ends the server's input, which asks it to leave, and sees to it that it does. */
  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#child.stdin.end()
    await this.#child.kill(500)
    this.#closed()
  }

  #closed(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.onclose?.()
  }
}

function notMcp(server: string, printed: readonly string[]): ToolError {
  return new ToolError(
    'UPSTREAM_FAILED',
    `The program of "${server}" does not speak MCP.\nIt printed:\n${printed.map((line) => `| ${line}`).join('\n')}`,
    {
      hint: 'Is it a server? A program that is none becomes a tool of its own: `toolcrib add -- <command>`.',
      details: { server, speaksMcp: false },
    },
  )
}

export function messageTooLarge(server: string, maxBytes: number): ToolError {
  const most = `${Math.round(maxBytes / 1_048_576)} MiB`
  return new ToolError(
    'OUTPUT_TOO_LARGE',
    `The MCP server "${server}" sent a message of more than ${most} and was cut off.`,
    { hint: 'Ask its tool for less, or in parts; the next call connects again.' },
  )
}
