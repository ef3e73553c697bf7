import { median } from '../harness.mjs'
import { scenario as proxy } from './mcp-proxy.mjs'

const perSecond = 200
/** How long each side is called in one round; TOOLCRIB_BENCH_SECONDS takes another time. */
const seconds = Number(process.env.TOOLCRIB_BENCH_SECONDS ?? 20)

/** Begins a call every five milliseconds, whether the last one is answered or not; gives the times and the errors. */
async function called(server, tool) {
  const times = []
  const open = []
  const begun = performance.now()
  for (let n = 0; n < perSecond * seconds; n++) {
    const due = begun + (n * 1000) / perSecond
    const early = due - performance.now()
    if (early > 0) await new Promise((resolve) => setTimeout(resolve, early))
    const started = performance.now()
    open.push(server.call(tool, { a: n, b: 1 }).then(() => times.push(performance.now() - started)))
  }
  const errors = (await Promise.allSettled(open)).filter(({ status }) => status === 'rejected').length
  return { times: times.sort((a, b) => a - b), errors }
}

/** What 99 of 100 calls stay below; an error counts as the worst. */
async function nearlyWorst(server, tool) {
  const { times, errors } = await called(server, tool)
  const p99 = times[Math.floor(times.length * 0.99)]
  console.error(
    `${tool}: ${times.length} calls, ${errors} errors, median ${median(times).toFixed(3)} ms, p99 ${p99.toFixed(3)} ms`,
  )
  return errors > 0 ? Number.POSITIVE_INFINITY : p99
}

export const scenario = {
  about: `a tool of a foreign MCP server at ${perSecond} calls a second, directly and through the crib (99 of 100 calls take at most)`,
  unit: 'ms',
  run: { rounds: 1, warmUp: 0 },
  setup: () => proxy.setup(nearlyWorst),
}
