// PostgreSQL and NATS for scenarios, started on loopback ports of their own, and the parts that talk to them.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'tsdown'
import { natsMissing, startNats } from '../test/helpers/servers/nats.mjs'
import { postgresMissing, startPostgres } from '../test/helpers/servers/postgres.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Why these scenarios cannot run here, or null. */
export function fleetMissing() {
  return postgresMissing() ?? natsMissing()
}

export async function startFleet() {
  const dir = mkdtempSync(join(tmpdir(), 'toolcrib-bench-fleet-'))
  symlinkSync(join(root, 'node_modules'), join(dir, 'node_modules'))
  const [postgres, nats] = await Promise.all([startPostgres(), startNats()])
  await build({
    config: false,
    entry: {
      store: join(root, 'src/store/open-store.ts'),
      node: join(root, 'test/helpers/store/fleet-node.ts'),
    },
    outDir: dir,
    clean: false,
    dts: false,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'silent',
  })
  const { openStore, openBus } = await import(join(dir, 'store.mjs'))
  const at = { store: postgres.url(), bus: nats.url() }
  return {
    postgres,
    nats,
    at,
    openStore: () => openStore(at, dir),
    openBus: (store) => openBus(at.bus, store, () => {}),
    /** A worker process; resolves when it takes work. */
    async startNode(name, concurrency) {
      const child = spawn(
        process.execPath,
        [join(dir, 'node.mjs'), at.store, at.bus, name, String(concurrency)],
        {
          stdio: ['ignore', 'pipe', 'ignore'],
        },
      )
      await new Promise((resolve, reject) => {
        child.stdout.once('data', resolve)
        child.once('exit', (code) => reject(new Error(`the node ended with ${code}`)))
      })
      return () =>
        new Promise((resolve) => {
          child.removeAllListeners('exit')
          child.once('exit', resolve)
          child.kill('SIGTERM')
        })
    },
    async remove() {
      await Promise.all([postgres.remove(), nats.remove()])
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

export const alice = { owner: 'local', name: 'alice', isAdmin: false }

export function draft(n) {
  return {
    title: `Request ${n}`,
    schema_name: 'tool.request.v1',
    tags: ['tool:request', 'workspace:tools'],
    visibility: 'team',
    sensitivity: 'low',
    context: { tool: 'job', input: { n } },
  }
}
