import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { median } from '../harness.mjs'
import { httpServer, stdioServer } from '../mcp-clients.mjs'
import { installedPeer } from '../peers/installed-peer.mjs'

const calls = 12
/** A model thinks between two calls, for far longer than this. */
const pauseMs = 250
const server = fileURLToPath(new URL('../servers/toolcrib-http.mjs', import.meta.url))

/** Executor runs what a model writes too, in an engine of its own; undefined where it is not installed. */
async function executor() {
  const program = installedPeer('executor', 'node_modules/executor/bin/executor')
  if (!program) return undefined
  const home = mkdtempSync(join(tmpdir(), 'executor-home-'))
  const server = await stdioServer([program, 'mcp'], {
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home },
  })
  return {
    async run(code) {
      const { content } = await server.call('execute', { code })
      if (content[0].text !== '2') throw new Error(content[0].text)
    },
    async close() {
      await server.close()
      rmSync(home, { recursive: true, force: true })
    },
  }
}

/** `serve --expose code`: every run in a process of its own, behind Deno's permissions and the fence. */
export const scenario = {
  about: '`return 1 + 1` by run_code over MCP HTTP, warm (median of a call)',
  unit: 'ms',
  run: { rounds: 7, warmUp: 1 },
  short: { rounds: 3, warmUp: 1 },
  async setup() {
    const served = await httpServer(server, ['10', 'code'])
    const peer = await executor()
    const ours = (code) => served.call('run_code', { code }, '"2"')
    const side = (run, code, pause) => ({
      measure: async () => {
        const times = []
        for (let n = 0; n < calls; n++) {
          await delay(pause)
          const started = performance.now()
          await run(code)
          times.push(performance.now() - started)
        }
        return median(times)
      },
    })
    const theirs = peer && {
      'Executor, with a pause, stdio': side(peer.run, 'return 1 + 1', pauseMs),
      'Executor, one after the other, stdio': side(peer.run, 'return 1 + 1', 0),
    }
    return {
      reference: 'with a pause before each',
      sides: {
        'with a pause before each': side(ours, 'return 1 + 1', pauseMs),
        'with a pause, one tool called': side(ours, 'return (await tools.add({ a: 1, b: 1 })).sum', pauseMs),
        'one after the other': side(ours, 'return 1 + 1', 0),
        ...theirs,
      },
      async teardown() {
        await Promise.all([served.close(), peer?.close()])
      },
    }
  },
}
