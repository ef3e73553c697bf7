// The thread of the watchdog. It counts its own turns, not the clock: a machine that slept, or a process that was
// stopped and goes on, has not been silent. Built as a file of its own, for threads start from files.
import { existsSync, writeSync } from 'node:fs'
import { Session } from 'node:inspector'
import { parentPort, workerData } from 'node:worker_threads'
import { type NamedTool, places, type WatchData } from './watchdog.ts'

/** How long past the limit of a call the process may be silent. */
const graceMs = 5_000
const killMs = 5_000

const { beats, times, beatMs, exitCode, haltFile } = workerData as WatchData
const names = new Map<number, string>()
let seen = -1
let silentMs = 0

parentPort!.on('message', ({ number, name }: NamedTool) => names.set(number, name))

const timer = setInterval(() => {
  const beat = Atomics.load(beats, places.beat)
  silentMs = beat === seen ? silentMs + beatMs : 0
  seen = beat
  // One beat may pass before the code begins.
  if (silentMs > beatMs + shortestMs() + graceMs) end()
  else if (silentMs >= beatMs && existsSync(haltFile)) endHalted()
}, beatMs)

/** The time of the call that had to end first, counted from the last beat. */
function shortestMs(): number {
  let shortest = Number.POSITIVE_INFINITY
  for (const place of heldPlaces()) shortest = Math.min(shortest, Math.max(0, times[place]!))
  return shortest
}

/** The call that began since the last beat, which is the likeliest, then those that ran before it. */
function heldPlaces(): number[] {
  const list = Array.from({ length: beats[places.count]! }, (_, index) => places.list + index)
  return beats[places.last] === 0 ? list : [places.last, ...list]
}

/** The crib was halted, and code in this process lets nothing hear of it. */
function endHalted(): void {
  writeSync(2, 'error: HALTED: code in this process lets nothing else run, so the process ends.\n')
  process.kill(process.pid, 'SIGKILL')
}

function end(): void {
  clearInterval(timer)
  const held = [...new Set(heldPlaces().map((place) => names.get(beats[place]!) ?? 'a tool'))]
  const who = held.length === 1 ? held[0] : `One of ${held.join(', ')}`
  const seconds = Math.round(silentMs / 1000)
  // By hand: what a thread prints goes through the thread that hangs.
  writeSync(
    2,
    `error: TIMEOUT: ${who} runs inside this process and has let nothing else run for ${seconds} s, though its time is up. Such code cannot be stopped alone, so the process ends with exit code ${exitCode}.\nFix its loop, or write it in a format that runs in a process of its own; calls that were running are lost.\n`,
  )
  const session = new Session()
  session.connectToMainThread()
  session.post('Runtime.evaluate', { expression: `process.exit(${exitCode})` })
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), killMs)
}
