// A process forked by this very one, with the streams and descriptors it is to have and no others.
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import type { SpawnSpec } from '../../sandbox/fence.ts'
import { unnamedFile } from '../../sandbox/unnamed-file.ts'
import { inheritedDescriptors } from './inherited-descriptors.ts'

export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** A process that runs, wherever it was forked. */
export interface Started {
  readonly pid: number
  /** Null: its input is empty. */
  readonly stdin: Writable | null
  readonly stdout: Readable
  readonly stderr: Readable
  readonly exited: Promise<Exit>
  /** It is gone, and nobody holds its output any more. */
  readonly closed: Promise<void>
  /** Whether waiting for its end keeps this program from ending; it does at first. */
  ref(): void
  unref(): void
}

export interface StartedHere extends Started {
  readonly process: ChildProcess
}

export interface Streams {
  /** `ipc` adds a message channel beside the three streams (Node and Deno children). */
  readonly ipc?: boolean
  /** An extra pipe as descriptor 3, both ways (Python workers talk over it, apart from their prints). */
  readonly channel?: boolean
  /** Nothing will be written to the child: its input is empty. */
  readonly noInput?: boolean
}

/** Rejects with the error of the system when it cannot be started. */
export async function startHere(spec: SpawnSpec, streams: Streams): Promise<StartedHere> {
  const handovers = (spec.handovers ?? []).map(({ fd, bytes }) => ({ fd, file: unnamedFile(bytes) }))
  const blank = inheritedDescriptors().length > 0 ? openSync('/dev/null', 'r+') : undefined
  const stdio: Stdio[] = [streams.noInput ? 'ignore' : 'pipe', 'pipe', 'pipe']
  if (streams.channel) stdio.push('pipe')
  if (streams.ipc) stdio.push('ipc')
  for (const { fd, file } of handovers) place(stdio, fd, file)
  for (const fd of inheritedDescriptors()) if ((stdio[fd] ?? 'ignore') === 'ignore') place(stdio, fd, blank!)
  try {
    const process = spawn(spec.file, [...spec.args], {
      cwd: spec.cwd,
      env: spec.env as NodeJS.ProcessEnv,
      argv0: spec.argv0,
      detached: true,
      shell: false,
      stdio,
      serialization: 'json',
    })
    await spawned(process)
    return {
      pid: process.pid!,
      process,
      stdin: process.stdin,
      stdout: process.stdout!,
      stderr: process.stderr!,
      exited: new Promise((resolve) => {
        process.once('exit', (code, signal) => resolve({ code, signal }))
      }),
      closed: new Promise((resolve) => {
        process.once('close', () => resolve())
      }),
      ref: () => process.ref(),
      unref: () => process.unref(),
    }
  } finally {
    for (const { file } of handovers) closeSync(file)
    if (blank !== undefined) closeSync(blank)
  }
}

type Stdio = 'pipe' | 'ipc' | 'ignore' | number

function place(stdio: Stdio[], fd: number, source: number): void {
  while (stdio.length < fd) stdio.push('ignore')
  stdio[fd] = source
}

function spawned(process: ChildProcess): Promise<void> {
  // With a pid the start has succeeded; waiting for the event would cost a turn of the loop.
  if (process.pid !== undefined) {
    process.once('error', () => {})
    return Promise.resolve()
  }
  return new Promise((_, reject) => {
    process.once('error', reject)
  })
}

/** Signals a whole group; a group that is gone is no error. */
export function signalGroup(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(-pid, signal)
    return true
  } catch {
    return false
  }
}
