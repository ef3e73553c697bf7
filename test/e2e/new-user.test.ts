// The first minutes of a new user, as they are: a clone, what npm installs, a script of their own, MCP servers from the
// registry, and a real MCP client, the inspector's command line. Measured in commands and in processor time.
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { repository } from '../docs/pages.ts'
import { verifies } from '../helpers/verifies.ts'

const inspector = '@modelcontextprotocol/inspector@0.15.0'
const npm = (...args: string[]) => spawnSync('npm', args, { encoding: 'utf8' })
const why = reasonToSkip()
if (why !== undefined) console.log(`skipped: the first minutes of a new user (${why})`)

const home = why === undefined ? mkdtempSync(join(tmpdir(), 'toolcrib-new-user-')) : ''
// How the registry is reached is the machine's own: proxies, certificates, settings of npm.
const own = Object.entries(process.env).filter(
  ([name]) => !/^(NODE_OPTIONS|NODE_ENV|VITEST|TOOLCRIB|npm_(?!config_(cafile|https?_proxy)))/.test(name),
)
const env: NodeJS.ProcessEnv = {
  ...Object.fromEntries(own),
  PATH: `${join(home, 'prefix/bin')}:${process.env['PATH']}`,
  HOME: home,
  LANG: 'C.UTF-8',
  NO_COLOR: '1',
  npm_config_prefix: join(home, 'prefix'),
  npm_config_cache: why === undefined ? npm('config', 'get', 'cache').stdout.trim() : '',
  npm_config_registry: why === undefined ? npm('config', 'get', 'registry').stdout.trim() : '',
  npm_config_prefer_offline: 'true',
}
const client = `node ${join(home, 'client/node_modules/@modelcontextprotocol/inspector/cli/build/cli.js')}`

describe.skipIf(why !== undefined)('a new user', () => {
  beforeAll(() => {
    mkdirSync(join(home, 'client'), { recursive: true })
    // Without one, npm looks for a package in the folders above.
    writeFileSync(join(home, 'client/package.json'), '{}')
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--silent', inspector], {
      cwd: join(home, 'client'),
      env,
      timeout: 240_000,
    })
  }, 300_000)
  afterAll(() => rmSync(home, { recursive: true, force: true }), 300_000)

  it('has a script of their own answered in a real client after six commands', () => {
    verifies('D1', 'D23')
    const walk = new Walk()
    walk.run(`git clone -q ${repository} toolcrib`, home)
    const installed = walk.run('npm ci', join(home, 'toolcrib'))
    expect(installed).not.toMatch(/npm warn|EBADENGINE/i)
    walk.run('npm install -g . --ignore-scripts', join(home, 'toolcrib'))
    const mine = join(home, 'mine')
    mkdirSync(mine)
    writeFileSync(join(mine, 'sales.csv'), 'item,amount\na,1\nb,2.5\n')
    writeFileSync(join(mine, 'report.py'), script)
    walk.run('toolcrib add ./report.py --yes', mine)
    walk.run('toolcrib connect claude-code --yes', mine)
    const answer = walk.run(`${client} --cli --config .mcp.json --server toolcrib ${callReport}`, mine)
    expect(JSON.parse(answer)).toMatchObject({ structuredContent: { sum: 3.5 } })
    console.log(walk.report('from a clone to an own script answered in the inspector'))
    expect(walk.commands).toBeLessThanOrEqual(6)
    expect(walk.cpuSeconds).toBeLessThan(120)
  }, 600_000)

  it('has the tools of four real servers of a .mcp.json after three commands', () => {
    verifies('D9', 'D23')
    const walk = new Walk()
    const folder = join(home, 'servers')
    mkdirSync(folder)
    const names = ['everything', 'filesystem', 'memory', 'sequential-thinking']
    const entries = names.map((name) => [name, { command: 'npx', args: argsOf(name) }])
    writeFileSync(join(folder, '.mcp.json'), JSON.stringify({ mcpServers: Object.fromEntries(entries) }))
    walk.run('toolcrib add --from claude-code --yes', folder)
    walk.run('toolcrib connect claude-code --yes', folder)
    const listed = walk.run(
      `${client} --cli --config .mcp.json --server toolcrib --method tools/list`,
      folder,
    )
    const { tools } = JSON.parse(listed) as { tools: { name: string }[] }
    const count = (server: string) => tools.filter(({ name }) => name.startsWith(`${server}-`)).length
    console.log(
      walk.report(`four servers with ${names.map((name) => `${name} ${count(name)}`).join(', ')} tools`),
    )
    expect(names.filter((name) => count(name) === 0)).toEqual([])
    expect(walk.commands).toBeLessThanOrEqual(3)
    // What a server remembers is there when it is started anew (D10).
    const made = { entities: [{ name: 'Ada', entityType: 'person', observations: ['likes tea'] }] }
    walk.run(`toolcrib run memory-create_entities --params '${JSON.stringify(made)}'`, folder)
    expect(walk.run('toolcrib run memory-read_graph', folder)).toContain('likes tea')
  }, 300_000)

  it('finds the program behind npx once and again, and in the packed tarball', () => {
    verifies('D1')
    const walk = new Walk()
    const clone = join(home, 'toolcrib')
    for (const _ of [1, 2]) expect(walk.run('npx toolcrib --version', clone)).toMatch(/^\d+\.\d+\.\d+\n$/)
    const folder = join(home, 'packed')
    mkdirSync(folder)
    walk.run(`npm pack --silent --ignore-scripts --pack-destination ${folder}`, clone)
    walk.run('npm init -y && npm install --no-audit --ignore-scripts ./toolcrib-*.tgz', folder)
    expect(walk.run('npx toolcrib run rye/file-system/list --path . -q', folder)).toContain('package.json')
  }, 300_000)

  it('starts it without anything being asked of the network', async () => {
    verifies('D2')
    const asked = join(home, 'asked.txt')
    const recorder = join(home, 'recorder.cjs')
    writeFileSync(recorder, recording(asked))
    const child = spawn('npm', ['start'], {
      cwd: join(home, 'toolcrib'),
      env: {
        ...env,
        TOOLCRIB_PORT: '0',
        NODE_OPTIONS: `--require ${recorder}`,
        npm_config_cache: join(home, 'empty-cache'),
      },
      detached: true,
    })
    let text = ''
    const ended = new Promise((resolve) => child.on('close', resolve))
    await new Promise<void>((resolve, reject) => {
      child.stdout.on('data', (chunk) => {
        text += chunk
        if (/Connect .*\n/.test(text)) resolve()
      })
      void ended.then(() => reject(new Error(text)))
    })
    process.kill(-child.pid!, 'SIGTERM')
    await ended
    const started = readFileSync(asked, 'utf8').split('\n').filter(Boolean)
    expect(started.filter((line) => line.startsWith('start')).length).toBeGreaterThan(2)
    expect(started.filter((line) => line.startsWith('asks'))).toEqual([])
  }, 180_000)
})

const script = `import argparse, csv, json
parser = argparse.ArgumentParser(description="Sum a column of a table")
parser.add_argument("table")
parser.add_argument("--column", default="amount")
args = parser.parse_args()
rows = list(csv.DictReader(open(args.table)))
print(json.dumps({"sum": sum(float(row[args.column]) for row in rows)}))
`
const callReport = '--method tools/call --tool-name report --tool-arg table=sales.csv'

/** Notes every process that starts, and every address but loopback that one connects to or looks up. */
const recording = (file: string) => `const { appendFileSync } = require('node:fs')
const net = require('node:net')
const dns = require('node:dns')
const note = (line) => appendFileSync(${JSON.stringify(file)}, line + '\\n')
note('start ' + process.argv.join(' '))
const isLocal = (host) => host === undefined || /^(127\\.|::1|localhost$|\\[::1\\])/.test(host)
const { connect } = net.Socket.prototype
net.Socket.prototype.connect = function (...args) {
  const [options] = Array.isArray(args[0]) ? args[0] : args
  const host = typeof options === 'object' ? options.host : typeof args[1] === 'string' ? args[1] : undefined
  if (!isLocal(host)) note('asks ' + host)
  return connect.apply(this, args)
}
const { lookup } = dns
dns.lookup = (host, ...rest) => {
  if (!isLocal(host)) note('asks for ' + host)
  return lookup(host, ...rest)
}
`

function argsOf(server: string): string[] {
  return ['-y', `@modelcontextprotocol/server-${server}`, ...(server === 'filesystem' ? ['.'] : [])]
}

/** Why this machine cannot do it. */
function reasonToSkip(): string | undefined {
  if (!existsSync(join(repository, '.git'))) return 'this is no clone'
  for (const program of ['git', 'bash', 'python3'])
    if (spawnSync(program, ['--version']).status !== 0) return `${program} is not here`
  const { status } = npm('view', inspector, 'version', '--fetch-retries=0', '--fetch-timeout=10000')
  return status === 0 ? undefined : 'the registry of npm cannot be reached'
}

/** Commands one after the other, counted, with the processor time they and their children took. */
class Walk {
  commands = 0
  cpuSeconds = 0
  readonly #started = performance.now()

  /** Standard output; a command that fails ends the walk. */
  run(command: string, cwd: string): string {
    this.commands++
    const timed = `exec 3>&2; TIMEFORMAT='cpu %U %S'; time { ${command}\n} 2>&3 3>&-`
    const { status, stdout, stderr } = spawnSync('bash', ['-c', timed], { cwd, env, encoding: 'utf8' })
    expect(status, `${command}\n${stdout}\n${stderr}`).toBe(0)
    const [, user, system] = /cpu ([\d.]+) ([\d.]+)\n$/.exec(stderr)!
    this.cpuSeconds += Number(user) + Number(system)
    return command === 'npm ci' ? stdout + stderr : stdout
  }

  report(what: string): string {
    const seconds = (performance.now() - this.#started) / 1000
    return `${what}: ${this.commands} commands, ${this.cpuSeconds.toFixed(1)} s of processor time, ${seconds.toFixed(1)} s`
  }
}
