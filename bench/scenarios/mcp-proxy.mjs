import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { median } from '../harness.mjs'
import { stdioServer } from '../mcp-clients.mjs'
import { built } from '../the-build.mjs'

const calls = 300
const here = (path) => fileURLToPath(new URL(path, import.meta.url))

/** Milliseconds of the middle call, one after the other. */
async function middle(server, tool) {
  const times = []
  for (let n = 0; n < calls; n++) {
    const started = performance.now()
    await server.call(tool, { a: n, b: 1 })
    times.push(performance.now() - started)
  }
  return median(times)
}

export const scenario = {
  about: 'a tool of a foreign MCP server, asked for directly and through the crib (median of a call)',
  unit: 'ms',
  run: { rounds: 9, warmUp: 2 },
  /** `measure` asks a server for a tool of it and gives milliseconds. */
  async setup(measure = middle) {
    const root = mkdtempSync(join(tmpdir(), 'toolcrib-bench-'))
    const script = here('../servers/sdk-v1-stdio.mjs')
    const entry = { command: process.execPath, args: [script] }
    writeFileSync(join(root, 'toolcrib.yaml'), JSON.stringify({ mcp: { servers: { bare: entry } } }))
    const direct = await stdioServer([script])
    // Beside the crib, as a user's home is: what is written in it is no change of a call.
    const home = mkdtempSync(join(tmpdir(), 'toolcrib-home-'))
    const env = { PATH: process.env.PATH, HOME: home }
    const through = await stdioServer([built('cli.js'), 'mcp', '-C', root, '-q', '--trust-folder'], { env })
    return {
      reference: 'directly',
      sides: {
        directly: { measure: () => measure(direct, 'add') },
        'through the crib': { measure: () => measure(through, 'bare-add') },
      },
      async teardown() {
        await Promise.all([direct.close(), through.close()])
        for (const folder of [root, home]) rmSync(folder, { recursive: true })
      },
    }
  },
}
