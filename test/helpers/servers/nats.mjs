// A NATS server with JetStream of its own on a loopback port, for tests and benches.
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort, untilOpen } from './ports.mjs'

const places = [
  'nats-server',
  '/usr/sbin/nats-server',
  '/usr/local/bin/nats-server',
  '/opt/homebrew/bin/nats-server',
]
let found

function findServer() {
  found ??= places.find((place) => spawnSync(place, ['--version']).status === 0) ?? ''
  return found
}

/** Why there is no NATS here, or null when there is one. */
export function natsMissing() {
  if (process.env.TOOLCRIB_TEST_NATS === 'off') return 'TOOLCRIB_TEST_NATS is off'
  return findServer() ? null : 'nats-server is not installed'
}

/** Starts a server; `stop()` kills it, `start()` starts it again on the same port with what it had stored. */
export async function startNats({ user, password } = {}) {
  const reason = natsMissing()
  if (reason) throw new Error(reason)
  const dir = mkdtempSync(join(tmpdir(), 'toolcrib-nats-'))
  const port = await freePort()
  const lines = [`listen: 127.0.0.1:${port}`, `jetstream { store_dir: ${JSON.stringify(dir)} }`]
  if (user)
    lines.push(`authorization { user: ${JSON.stringify(user)}, password: ${JSON.stringify(password)} }`)
  const file = join(dir, 'nats.conf')
  writeFileSync(file, lines.join('\n'))
  let child = null
  const server = {
    port,
    url: (at = port) => `nats://${user ? `${user}:${password}@` : ''}127.0.0.1:${at}`,
    async start() {
      child = spawn(findServer(), ['-c', file], { stdio: 'ignore' })
      await untilOpen(port)
      return server
    },
    async stop(signal = 'SIGKILL') {
      if (!child || child.exitCode !== null || child.signalCode !== null) return
      const gone = new Promise((resolve) => child.once('exit', resolve))
      child.kill(signal)
      await gone
    },
    /** Everything it had stored is gone. */
    async forget() {
      await server.stop()
      rmSync(join(dir, 'jetstream'), { recursive: true, force: true })
    },
    async remove() {
      await server.stop()
      rmSync(dir, { recursive: true, force: true })
    },
  }
  process.once('exit', () => child?.kill('SIGKILL'))
  return server.start()
}
