import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { median } from '../harness.mjs'
import { httpServer } from '../mcp-clients.mjs'

const calls = 12
/** A model thinks between two calls, for far longer than this. */
const pauseMs = 250
const server = fileURLToPath(new URL('../servers/toolcrib-http.mjs', import.meta.url))

/** `serve --expose code`: every run in a process of its own, behind Deno's permissions and the fence. */
export const scenario = {
  about: '`return 1 + 1` by run_code over MCP HTTP, warm (median of a call)',
  unit: 'ms',
  run: { rounds: 7, warmUp: 1 },
  short: { rounds: 3, warmUp: 1 },
  async setup() {
    const served = await httpServer(server, ['10', 'code'])
    const timed = async (code, expected) => {
      const started = performance.now()
      await served.call('run_code', { code }, expected)
      return performance.now() - started
    }
    const side = (code, expected, pause) => ({
      measure: async () => {
        const times = []
        for (let n = 0; n < calls; n++) {
          await delay(pause)
          times.push(await timed(code, expected))
        }
        return median(times)
      },
    })
    return {
      reference: 'with a pause before each',
      sides: {
        'with a pause before each': side('return 1 + 1', '"2"', pauseMs),
        'with a pause, one tool called': side('return (await tools.add({ a: 1, b: 1 })).sum', '"2"', pauseMs),
        'one after the other': side('return 1 + 1', '"2"', 0),
      },
      teardown: () => served.close(),
    }
  },
}
