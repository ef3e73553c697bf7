// Runs the built program as a user would.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const cli = fileURLToPath(new URL('../../dist/cli.js', import.meta.url))
if (!existsSync(cli))
  throw new Error(
    'dist/cli.js is missing: these tests run the built program; use `npm test` or `npm run build` first',
  )

export interface Ran {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  /** stdout as one JSON document. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into documents of many shapes
  readonly json: any
}

export interface RunOptions {
  readonly cwd: string
  readonly env?: Record<string, string>
  readonly input?: string
  /** The user to run it as, where root runs the tests. */
  readonly uid?: number
  /** A program with its arguments that starts it. */
  readonly through?: readonly string[]
}

/** Resolves when the program ended, whatever its exit code. HOME is the crib itself, so the user's own tools stay out. */
export function toolcrib(
  args: readonly string[],
  { cwd, env, input, uid, through = [] }: RunOptions,
): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const [file, ...rest] = [...through, process.execPath, cli, ...args] as [string, ...string[]]
    const child = spawn(file, rest, {
      cwd,
      env: { PATH: process.env['PATH'] ?? '', HOME: cwd, TOOLCRIB_TRUST_FOLDER: '1', ...env },
      ...(uid === undefined ? {} : { uid, gid: uid }),
    })
    let stdout = ''
    let stderr = ''
    child.stdout.on('data', (chunk) => {
      stdout += chunk
    })
    child.stderr.on('data', (chunk) => {
      stderr += chunk
    })
    child.on('error', reject)
    child.on('close', (code) =>
      resolve({
        code,
        stdout,
        stderr,
        get json() {
          return JSON.parse(stdout)
        },
      }),
    )
    // It may leave before it has read anything.
    child.stdin.on('error', () => {}).end(input ?? '')
  })
}
