// A tool of a foreign MCP server at a steady rate. The sides take turns of five seconds, so that both meet the same
// machine; what is judged is the slowest hundredth of all calls of a side. BENCH_SECONDS says how long each side is
// called; the target is meant for 300.
import { median } from '../harness.mjs'
import { scenario as proxy } from './mcp-proxy.mjs'

const perSecond = 200
const seconds = Number(process.env.BENCH_SECONDS ?? 20)
const turnSeconds = 5
const warmUp = 1

/** Begins a call every five milliseconds, whether the last one is answered or not; gives the times and the errors. */
async function turn(server, tool) {
  const times = []
  const open = []
  const begun = performance.now()
  for (let n = 0; n < perSecond * turnSeconds; n++) {
    const due = begun + (n * 1000) / perSecond
    const early = due - performance.now()
    if (early > 0) await new Promise((resolve) => setTimeout(resolve, early))
    const started = performance.now()
    open.push(server.call(tool, { a: n, b: 1 }).then(() => times.push(performance.now() - started)))
  }
  const errors = (await Promise.allSettled(open)).filter(({ status }) => status === 'rejected').length
  return { times, errors }
}

/** What 99 of 100 calls of all turns so far stay below; an error counts as the worst. */
function slowestHundredth() {
  const sides = new Map()
  return async (server, tool) => {
    const side = sides.get(tool) ?? { turns: 0, times: [], errors: 0 }
    sides.set(tool, side)
    const { times, errors } = await turn(server, tool)
    if (++side.turns <= warmUp) return 0
    side.times.push(...times)
    side.errors += errors
    const p99 = side.times.sort((a, b) => a - b)[Math.floor(side.times.length * 0.99)]
    console.error(
      `${tool}: ${side.times.length} calls, ${side.errors} errors, median ${median(side.times).toFixed(3)} ms, p99 ${p99.toFixed(3)} ms`,
    )
    return side.errors > 0 ? Number.POSITIVE_INFINITY : p99
  }
}

export const scenario = {
  about: `a tool of a foreign MCP server at ${perSecond} calls a second, directly and through the crib, for ${seconds} s each (99 of 100 calls take at most)`,
  unit: 'ms',
  run: { rounds: Math.ceil(seconds / turnSeconds), warmUp, keep: 'last' },
  setup: () => proxy.setup(slowestHundredth()),
}
