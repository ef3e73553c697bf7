// MCP over the streams of a supervised child. The SDK's own stdio transport starts processes itself; here only
// the supervisor does.
import { ReadBuffer, serializeMessage, type Transport } from '@modelcontextprotocol/client'
import type { Child } from '../supervisor/supervisor.ts'

const tailChars = 4_096

export class ChildTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: Transport['onmessage']
  readonly #child: Child
  readonly #buffer: ReadBuffer
  #tail = ''
  #isClosed = false
  #isPaused = false

  constructor(child: Child, maxBytes: number) {
    this.#child = child
    this.#buffer = new ReadBuffer({ maxBufferSize: maxBytes })
  }

  /** The last of what the server wrote to its standard error, for messages. */
  get tail(): string {
    return this.#tail.trim()
  }

  async start(): Promise<void> {
    const { stdout, stderr, exited } = this.#child
    stderr.on('data', (chunk: Buffer) => {
      this.#tail = (this.#tail + chunk.toString('utf8')).slice(-tailChars)
    })
    stdout.on('data', (chunk: Buffer) => this.#take(chunk))
    exited.then(() => setImmediate(() => this.#closed()))
  }

  #take(chunk: Buffer): void {
    try {
      this.#buffer.append(chunk)
    } catch (error) {
      this.onerror?.(error as Error)
      void this.close()
      return
    }
    this.#deliver()
  }

  #deliver(): void {
    while (!this.#isPaused) {
      try {
        const message = this.#buffer.readMessage()
        if (message === null) return
        this.onmessage?.(message)
        if (!('id' in message)) this.#pause()
      } catch (error) {
        // A line that is no message is the server's chatter; the next line may be one.
        this.onerror?.(error as Error)
      }
    }
  }

  /** The SDK handles notices a moment later than answers: progress before an answer would come too late. */
  #pause(): void {
    this.#isPaused = true
    setImmediate(() => {
      this.#isPaused = false
      this.#deliver()
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
