// A stdio MCP server reached over HTTP: through the crib, which checks and records each call, and through programs that
// only pass it on. All are asked by the same client, one call after the other.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { median } from '../harness.mjs'
import { httpSession, serveChild, stdioServer } from '../mcp-clients.mjs'
import { installedPeer } from '../peers/installed-peer.mjs'
import { built } from '../the-build.mjs'

const calls = 200
const bare = fileURLToPath(new URL('../servers/sdk-v1-stdio.mjs', import.meta.url))

/** Milliseconds of the middle call. */
const side = (client, tool) => ({
  async measure() {
    const times = []
    for (let n = 0; n < calls; n++) {
      const started = performance.now()
      await client.call(tool, { a: n, b: 1 })
      times.push(performance.now() - started)
    }
    return median(times)
  },
})

async function freePort() {
  const server = createServer()
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address()
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Another gateway as a child, with a session; undefined where it is not installed. */
async function gateway(name, file, argsAt) {
  const program = installedPeer(name, `node_modules/${name}/${file}`)
  if (!program) return undefined
  const port = await freePort()
  const child = spawn(process.execPath, [program, ...argsAt(port)], { stdio: 'ignore' })
  const gone = new Promise((resolve) => child.once('exit', resolve))
  const session = await httpSession(`http://127.0.0.1:${port}/mcp`)
  return {
    name,
    ...session,
    async close() {
      session.close()
      child.kill('SIGTERM')
      const late = setTimeout(() => child.kill('SIGKILL'), 3_000)
      await gone
      clearTimeout(late)
    },
  }
}

export const scenario = {
  about: 'a tool of a stdio MCP server over HTTP, one after the other (median of a call)',
  unit: 'ms',
  run: { rounds: 9, warmUp: 2 },
  async setup() {
    const root = mkdtempSync(join(tmpdir(), 'toolcrib-bench-'))
    const home = mkdtempSync(join(tmpdir(), 'toolcrib-home-'))
    const entry = { command: process.execPath, args: [bare] }
    writeFileSync(join(root, 'toolcrib.yaml'), JSON.stringify({ mcp: { servers: { bare: entry } } }))
    const direct = await stdioServer([bare])
    const env = { PATH: process.env.PATH, HOME: home }
    const crib = await serveChild(
      [built('cli.js'), '-C', root, 'serve', '--json', '--port', '0', '--trust-folder'],
      { env },
    )
    const ours = await httpSession(crib.mcp, crib.token)
    const others = [
      await gateway('supergateway', 'dist/index.js', (port) => [
        ...['--stdio', `"${process.execPath}" "${bare}"`, '--outputTransport', 'streamableHttp'],
        ...['--stateful', '--port', String(port), '--logLevel', 'none'],
      ]),
      await gateway('mcp-proxy', 'dist/bin/mcp-proxy.mjs', (port) => [
        ...['--host', '127.0.0.1', '--port', String(port), '--', process.execPath, bare],
      ]),
    ].filter(Boolean)
    return {
      reference: 'directly, stdio',
      sides: {
        'directly, stdio': side(direct, 'add'),
        ours: side(ours, 'bare-add'),
        ...Object.fromEntries(others.map((other) => [other.name, side(other, 'add')])),
      },
      async teardown() {
        ours.close()
        await Promise.all([direct.close(), crib.close(), ...others.map((other) => other.close())])
        for (const folder of [root, home]) rmSync(folder, { recursive: true })
      },
    }
  },
}
