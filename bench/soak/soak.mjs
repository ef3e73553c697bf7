// `npm run soak [-- --minutes 5 | --hours 2] [--pace 1] [--json]`: serves a crib, keeps it busy in every way at once, and
// prints how memory, descriptors, processes, kept files, store and latency change over the hours, with their margins.
// Exit code 1 when something grows that must not, in five minutes or more.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { serveChild, stdioServer } from '../mcp-clients.mjs'
import { idleSessions, loads } from './loads.mjs'
import { makeSoakCrib } from './make-soak-crib.mjs'
import { sample } from './sample.mjs'
import { grows, slopeOf } from './slope.mjs'

const { values: given } = parseArgs({
  options: {
    minutes: { type: 'string' },
    hours: { type: 'string' },
    sessions: { type: 'string', default: '10000' },
    // How much longer than usual the pauses between calls are.
    pace: { type: 'string', default: '1' },
    keep: { type: 'string' },
    // A flag of the served Node, such as --node=--heapsnapshot-signal=SIGUSR2.
    node: { type: 'string', multiple: true, default: [] },
    json: { type: 'boolean', default: false },
  },
})
const runMs = given.hours ? Number(given.hours) * 3_600_000 : Number(given.minutes ?? 5) * 60_000
/** What a start brings with it (workers, caches, the idle sessions) is no growth: the first third is left out. */
const warmUpMs = runMs / 3
const sampleMs = 2_000
/** In less than this, what a start brings with it cannot be told from what grows. */
const isJudged = runMs >= 300_000
/** What undo needs is kept for 14 days (`effects.keep`): no run of hours sees it go. */
const mayGrow = new Set(['change records'])
/** Runs and events are kept for a sixth of the run, so that what must go begins to go before anything is compared. */
const keep = given.keep ?? `${Math.max(1, Math.round(runMs / 360_000))}m`

const cli = fileURLToPath(new URL('../../dist/cli.js', import.meta.url))
const top = realpathSync(mkdtempSync(join(tmpdir(), 'toolcrib-soak-')))
const crib = makeSoakCrib(top, cli, keep)
const { root, files, env } = crib
const stop = new AbortController()
for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => stop.abort())
const counts = {}
const window = []
const samples = []
let stdio
let served
try {
  served = await serveChild([...given.node, cli, '-C', root, 'serve', '--json', '--port', '0'], { env })
  stdio = await stdioServer([cli, '-C', root, 'mcp'], { cwd: root, env })
  const soak = {
    ...served,
    files,
    stdio,
    signal: stop.signal,
    pace: Number(given.pace),
    count: (what) => {
      counts[what] = (counts[what] ?? 0) + 1
    },
    timed: (ms) => window.push(ms),
  }
  await idleSessions(soak, Number(given.sessions))
  const begun = performance.now()
  let fault
  const running = Object.values(loads).map((load) =>
    load(soak).catch((error) => {
      fault ??= error
      stop.abort()
    }),
  )
  while (performance.now() - begun < runMs && !stop.signal.aborted) {
    await delay(sampleMs, undefined, { signal: stop.signal }).catch(() => {})
    const ms = performance.now() - begun
    const held = { ...sample(served.pid, crib), ...latency() }
    if (ms >= warmUpMs) samples.push({ hours: ms / 3_600_000, held })
    if (!given.json && samples.length % 30 === 1) console.log(lineOf(ms, held))
  }
  stop.abort()
  await Promise.all(running)
  if (fault) throw fault
  if (samples.length > 10) report()
  else console.log('Too short to say anything.')
} finally {
  stop.abort()
  await stdio?.close()
  await served?.close()
  rmSync(top, { recursive: true, force: true, maxRetries: 3 })
}

/** Of the calls since the last sample. */
function latency() {
  const times = window.splice(0).sort((a, b) => a - b)
  const at = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))]
  return times.length === 0 ? {} : { 'p50, ms': at(0.5), 'p99, ms': at(0.99), 'p99.9, ms': at(0.999) }
}

function lineOf(ms, held) {
  const figures = Object.entries(held).map(([what, value]) => `${what} ${value.toFixed(1)}`)
  return `${(ms / 60_000).toFixed(1)} min: ${figures.join(', ')}`
}

function report() {
  const hours = (runMs - warmUpMs) / 3_600_000
  const slopes = Object.fromEntries(
    Object.keys(samples[0].held).map((what) => {
      const own = samples.filter(({ held }) => held[what] !== undefined)
      return [what, slopeOf(own.map((each) => ({ hours: each.hours, value: each.held[what] })))]
    }),
  )
  const grown = Object.keys(slopes).filter((what) => !mayGrow.has(what) && grows(slopes[what], hours))
  const result = {
    date: new Date().toISOString(),
    minutes: runMs / 60_000,
    load: loadavg()[0],
    counts,
    slopes,
    grown,
  }
  mkdirSync(new URL('../results/', import.meta.url), { recursive: true })
  writeFileSync(new URL('../results/soak.json', import.meta.url), `${JSON.stringify(result, null, 2)}\n`)
  if (given.json) console.log(JSON.stringify(result))
  else {
    for (const [what, { mean, slope, margin }] of Object.entries(slopes))
      console.log(
        `${what.padEnd(16)} ${mean.toFixed(1).padStart(8)}  ${signed(slope)} ± ${margin.toFixed(2)} an hour${grown.includes(what) ? '  GROWS' : ''}`,
      )
    console.log(
      Object.entries(counts)
        .map(([what, many]) => `${many} ${what}`)
        .join(', '),
    )
  }
  if (isJudged && grown.length > 0) process.exitCode = 1
  else if (!isJudged && !given.json)
    console.log('Shorter than five minutes: what grows is told, and not judged.')
}

function signed(value) {
  return `${value < 0 ? '' : '+'}${value.toFixed(2)}`.padStart(9)
}
