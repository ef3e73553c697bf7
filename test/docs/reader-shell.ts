// A shell that stays open between commands, so that variables, folders and background jobs live as a reader's do.
import { type ChildProcess, spawn } from 'node:child_process'

export class ReaderShell {
  readonly #child: ChildProcess
  readonly #ended: Promise<void>
  #text = ''
  #count = 0
  #heard: (() => void) | undefined

  constructor(cwd: string, env: Record<string, string>) {
    this.#child = spawn(
      'bash',
      [
        '--norc',
        '-c',
        'exec 2>&1; while IFS= read -r -d "" line; do eval "$line" < /dev/null; echo; echo "done-$?"; done; kill $(jobs -p) 2> /dev/null; wait',
      ],
      {
        cwd,
        env,
        stdio: ['pipe', 'pipe', 'inherit'],
      },
    )
    this.#child.stdout!.on('data', (chunk) => {
      this.#text += chunk
      this.#heard?.()
    })
    this.#ended = new Promise((resolve) =>
      this.#child.on('close', () => {
        this.#heard?.()
        resolve()
      }),
    )
  }

  /** What a command prints, both streams as they come, and how it ends. */
  async run(command: string): Promise<{ code: number; output: string }> {
    const mark = /\ndone-(\d+)\n$/
    this.#text = ''
    this.#count++
    this.#child.stdin!.write(`${command}\0`)
    while (!mark.test(this.#text)) {
      if (this.#child.exitCode !== null)
        throw new Error(`the shell ended in command ${this.#count}: ${command}`)
      await new Promise<void>((resolve) => {
        this.#heard = resolve
      })
    }
    const [end, code] = mark.exec(this.#text)!
    return { code: Number(code), output: this.#text.slice(0, -end.length) }
  }

  /** Ends the shell and what it started in the background. */
  async close(): Promise<void> {
    this.#child.stdin!.end()
    await this.#ended
  }
}
