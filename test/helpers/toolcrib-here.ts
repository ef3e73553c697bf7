// Runs the command line inside this process: what a table of many commands can afford. A worker of vitest runs one test
// file, one test after the other, so its folder, environment and streams are this run's for as long as it takes.
import { Readable } from 'node:stream'
import { main } from '../../src/surfaces/cli/main.ts'
import { type Ran, type RunOptions, toolcrib } from './toolcrib.ts'

type Write = typeof process.stdout.write

function caught(stream: NodeJS.WriteStream, take: (text: string) => void): () => void {
  const write = stream.write
  stream.write = ((chunk: Uint8Array | string, ...rest: unknown[]) => {
    take(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8'))
    const done = rest.find((each) => typeof each === 'function') as (() => void) | undefined
    done?.()
    return true
  }) as Write
  return () => {
    stream.write = write
  }
}

/** As `toolcrib`, without a process of its own; nothing of the host's environment but PATH is seen. */
export async function toolcribHere(
  args: readonly string[],
  { cwd, env = {}, input = '' }: Pick<RunOptions, 'cwd' | 'env' | 'input'>,
): Promise<Ran> {
  // These end their whole process some time after they were told to.
  if (args[0] === 'serve' || args[0] === 'mcp') return toolcrib(args, { cwd, env, input })
  const before = { cwd: process.cwd(), env: process.env, stdin: process.stdin }
  let stdout = ''
  let stderr = ''
  const undo = [
    caught(process.stdout, (text) => {
      stdout += text
    }),
    caught(process.stderr, (text) => {
      stderr += text
    }),
  ]
  process.chdir(cwd)
  const kept = { PATH: before.env['PATH'], TMPDIR: before.env['TMPDIR'] }
  process.env = { ...kept, HOME: cwd, TOOLCRIB_TRUST_FOLDER: '1', ...env } as NodeJS.ProcessEnv
  const stdin = Object.assign(Readable.from(input === '' ? [] : [Buffer.from(input)]), { isTTY: false })
  Object.defineProperty(process, 'stdin', { value: stdin, configurable: true })
  try {
    const code = await main(args)
    return {
      code,
      stdout,
      stderr,
      get json() {
        return JSON.parse(stdout)
      },
    }
  } finally {
    Object.defineProperty(process, 'stdin', { value: before.stdin, configurable: true })
    process.env = before.env
    process.chdir(before.cwd)
    for (const each of undo) each()
  }
}
