// The starter: a small process that forks for a crib. A fork copies the tables of all memory and holds up whoever
// makes it until the program runs, so a crib with much in it does better to leave many of them to somebody small.
// It goes when its channel does, and takes what it started with it.
import { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { frameReader, type Kind, kinds, writeFrame } from './frames.ts'
import { type Started, signalGroup, startHere } from './start-here.ts'
import type { StartOrder } from './starter.ts'

const channel = new Socket({ fd: 3, readable: true, writable: true })
const running = new Map<number, Started>()
let isFull = false

function say(kind: Kind, id: number, body?: string | Uint8Array): void {
  isFull = !writeFrame(channel, kind, id, body) || isFull
  if (isFull) for (const child of running.values()) outputsOf(child).forEach((stream) => void stream.pause())
}

async function start(id: number, { handovers, noInput, ...rest }: StartOrder): Promise<void> {
  const spec = {
    ...rest,
    handovers: handovers.map(({ fd, text }) => ({ fd, bytes: Buffer.from(text, 'base64') })),
  }
  try {
    const child = await startHere(spec, { noInput })
    running.set(id, child)
    say(kinds.started, id, JSON.stringify({ pid: child.pid }))
    pass(id, child.stdout, kinds.stdout, kinds.stdoutEnd)
    pass(id, child.stderr, kinds.stderr, kinds.stderrEnd)
    child.stdin?.on('error', () => {})
    void child.exited.then((exit) => say(kinds.exit, id, JSON.stringify(exit)))
    void child.closed.then(() => {
      running.delete(id)
      say(kinds.close, id)
    })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    say(kinds.failed, id, JSON.stringify({ code, message }))
  }
}

function pass(id: number, stream: Readable, data: Kind, end: Kind): void {
  stream.on('data', (chunk: Buffer) => say(data, id, chunk))
  stream.on('error', () => {})
  stream.once('close', () => say(end, id))
  if (isFull) stream.pause()
}

function outputsOf(child: Started): readonly Readable[] {
  return [child.stdout, child.stderr]
}

channel.on(
  'data',
  frameReader((kind, id, body) => {
    const child = running.get(id)
    if (kind === kinds.start) void start(id, JSON.parse(body.toString()) as StartOrder)
    else if (kind === kinds.input) child?.stdin?.write(Buffer.from(body))
    else if (kind === kinds.inputEnd) child?.stdin?.end()
    else if (kind === kinds.drop && child)
      for (const stream of [child.stdin, ...outputsOf(child)]) stream?.destroy()
  }),
)
channel.on('drain', () => {
  isFull = false
  for (const child of running.values()) outputsOf(child).forEach((stream) => void stream.resume())
})
channel.on('error', () => {})
channel.on('close', () => {
  for (const { pid } of running.values()) signalGroup(pid, 'SIGKILL')
  process.exit()
})
say(kinds.ready, 0)
