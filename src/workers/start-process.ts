// Starts one process, with the streams and descriptors it is to have and no others.
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import type { Writable } from 'node:stream'
import type { SpawnSpec } from '../sandbox/fence.ts'
import { unnamedFile } from '../sandbox/unnamed-file.ts'
import { inheritedDescriptors } from './inherited-descriptors.ts'
import type { SpareProcess } from './spare-process.ts'

export interface Started {
  readonly pid: number
  readonly process: ChildProcess
  /** It is gone, and nobody holds its output any more. */
  readonly closed: Promise<void>
}

export interface Streams {
  /** `ipc` adds a message channel beside the three streams (Node and Deno children). */
  readonly ipc?: boolean
  /** An extra pipe as descriptor 3, both ways: workers talk over it, apart from their prints. */
  readonly channel?: boolean
  /** Nothing will be written to the child: its input is empty. */
  readonly noInput?: boolean
}

/** Rejects with the error of the system when it cannot be started. */
export async function startProcess(
  spec: SpawnSpec,
  streams: Streams,
  spare?: SpareProcess,
): Promise<Started> {
  const process =
    spec.waits && spare && !streams.ipc ? spare.take(spec, streams) : spawnProcess(spec, streams)
  await spawned(process)
  if (spec.waits)
    for (const { fd, bytes } of spec.handovers ?? []) (process.stdio[fd as 3] as Writable).end(bytes)
  return {
    pid: process.pid!,
    process,
    closed: new Promise((resolve) => {
      process.once('close', () => resolve())
    }),
  }
}

/** The process as the system makes it; one that waits for its handovers has pipes for them. */
export function spawnProcess(spec: SpawnSpec, streams: Streams): ChildProcess {
  const given = spec.handovers ?? []
  const handovers = spec.waits ? [] : given.map(({ fd, bytes }) => ({ fd, file: unnamedFile(bytes) }))
  const blank = inheritedDescriptors().length > 0 ? openSync('/dev/null', 'r+') : undefined
  const stdio: Stdio[] = [streams.noInput ? 'ignore' : 'pipe', 'pipe', 'pipe']
  if (streams.channel) stdio.push('pipe')
  if (streams.ipc) stdio.push('ipc')
  for (const { fd, file } of handovers) place(stdio, fd, file)
  if (spec.waits) for (const { fd } of given) place(stdio, fd, 'pipe')
  for (const fd of spec.pipes ?? []) place(stdio, fd, 'pipe')
  for (const fd of inheritedDescriptors()) if ((stdio[fd] ?? 'ignore') === 'ignore') place(stdio, fd, blank!)
  try {
    return spawn(spec.file, [...spec.args], {
      cwd: spec.cwd,
      env: spec.env as NodeJS.ProcessEnv,
      argv0: spec.argv0,
      detached: true,
      shell: false,
      stdio,
      serialization: 'json',
    })
  } finally {
    for (const { file } of handovers) closeSync(file)
    if (blank !== undefined) closeSync(blank)
  }
}

type Stdio = 'pipe' | 'ipc' | 'ignore' | number

function place(stdio: Stdio[], fd: number, source: Stdio): void {
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
