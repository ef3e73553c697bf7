// `toolcrib serve` as a process of its own, to be asked over HTTP and killed.
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'
import { cli } from './toolcrib.ts'

export interface ServeProcess {
  readonly url: string
  readonly token: string
  /** Lines after the ready line. */
  readonly lines: readonly { readonly event: string; readonly [key: string]: unknown }[]
  readonly stderr: () => string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into documents of many shapes
  ask(method: string, path: string, body?: unknown): Promise<{ status: number; body: any }>
  /** Its exit code, once it is gone. */
  readonly ended: Promise<number | null>
  signal(signal: NodeJS.Signals): void
  /** Ends it with a signal; resolves with its exit code once it is gone. */
  end(signal: NodeJS.Signals): Promise<number | null>
}

/** Starts a server on a free port, by a program in `through` if one is named; it is killed when the test ends. */
export async function serveProcess(
  root: string,
  args: readonly string[] = [],
  env: { readonly [name: string]: string } = {},
  through: readonly string[] = [],
): Promise<ServeProcess> {
  const [file = process.execPath, ...rest] = [...through, process.execPath, cli]
  const child = spawn(file, [...rest, 'serve', '--port', '0', '--json', ...args], {
    cwd: root,
    env: { PATH: process.env['PATH'] ?? '', HOME: root, TOOLCRIB_TRUST_FOLDER: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const gone = new Promise<number | null>((resolve) => child.once('close', resolve))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await gone
  })
  let stderr = ''
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  const lines: ServeProcess['lines'][number][] = []
  const ready = await firstLine(child, lines, gone, () => stderr)
  const { url, token } = ready as never as { url: string; token: string }
  return {
    url,
    token,
    lines,
    stderr: () => stderr,
    async ask(method, path, body) {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      return { status: response.status, body: await response.json() }
    },
    ended: gone,
    signal: (signal) => void child.kill(signal),
    async end(signal) {
      child.kill(signal)
      return gone
    },
  }
}

function firstLine(
  child: ChildProcess,
  lines: ServeProcess['lines'][number][],
  gone: Promise<unknown>,
  stderr: () => string,
): Promise<ServeProcess['lines'][number]> {
  return new Promise((resolve, reject) => {
    let isFirst = true
    createInterface({ input: child.stdout! }).on('line', (text) => {
      const line = JSON.parse(text)
      if (!isFirst) lines.push(line)
      else if (line.event === 'ready') resolve(line)
      else reject(new Error(`The first line is not the ready line: ${text}`))
      isFirst = false
    })
    void gone.then(() => reject(new Error(`The server ended before it was ready: ${stderr()}`)))
  })
}
