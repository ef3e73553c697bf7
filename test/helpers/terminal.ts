// The program on a real terminal (a pseudo terminal made by `script`), with the keys a person would press.
import { spawn } from 'node:child_process'
import { onTestFinished, vi } from 'vitest'
import { cli } from './toolcrib.ts'

export interface Terminal {
  /** What a person sees now: the lines, after all movements of the cursor. */
  screen(): string[]
  press(keys: string): void
  waitFor(words: string): Promise<void>
  /** The exit code. */
  readonly ended: Promise<number | null>
}

export function terminal(
  args: readonly string[],
  cwd: string,
  env: { [name: string]: string } = {},
): Terminal {
  const command = ['stty cols 80 rows 30;', process.execPath, cli, ...args].map((word, index) =>
    index === 0 ? word : `'${word.replaceAll("'", "'\\''")}'`,
  )
  const child = spawn('script', ['-qec', command.join(' '), '/dev/null'], {
    cwd,
    env: {
      PATH: process.env['PATH'],
      HOME: cwd,
      TOOLCRIB_TRUST_FOLDER: '1',
      USER: 'ada',
      LANG: 'C.UTF-8',
      TERM: 'xterm-256color',
      ...env,
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  // Keys that nobody reads any more are lost.
  child.stdin.on('error', () => {})
  let raw = ''
  child.stdout.setEncoding('utf8').on('data', (chunk) => (raw += chunk))
  const screen = () => screenOf(raw)
  return {
    screen,
    press: (keys) => void child.stdin.write(keys),
    waitFor: async (words) => {
      await vi.waitUntil(() => screen().some((line) => line.includes(words)), { timeout: 30_000 })
    },
    ended: new Promise((resolve) => child.on('close', resolve)),
  }
}

/** The screen after everything was written to it. Knows the codes this program uses, and throws at others. */
function screenOf(raw: string): string[] {
  const lines: string[] = ['']
  let [row, column] = [0, 0]
  const setLine = (text: string) => (lines[row] = text)
  for (const [token, count, code] of raw.matchAll(/\u001b\[\??([\d;]*)([A-Za-z])|./gsu)) {
    const n = Number(count || 1)
    if (token === '\r') column = 0
    else if (token === '\n') row++
    else if (code === undefined) {
      setLine(
        (lines[row] ?? '').padEnd(column).slice(0, column) + token + (lines[row] ?? '').slice(column + 1),
      )
      column++
    } else if (code === 'A') row = Math.max(0, row - n)
    else if (code === 'B') row += n
    else if (code === 'D') column = Math.max(0, column - n)
    else if (code === 'G') column = n - 1
    else if (code === 'K') setLine('')
    else if (code === 'J') lines.splice(row, lines.length, (lines[row] ?? '').slice(0, column))
    else if (!'mhl'.includes(code)) throw new Error(`the screen does not know ${JSON.stringify(token)}`)
    while (lines.length <= row) lines.push('')
  }
  return lines.map((line) => line.trimEnd()).filter((line, at, all) => line !== '' || at < all.length - 1)
}
