// What a hostile Node tool tries. Each snippet is the body of an async function: it returns when it got out and
// throws when it did not.
import type { EscapeCase } from './grounds.ts'
import { given, sharedCases } from './shared-cases.ts'

const tcp = (name: string, where: string): EscapeCase => given(name, 'network', `await contact(${where})`)
const http = (name: string, url: string): EscapeCase =>
  given(name, 'network', `await fetch(\`${url}\`, { signal: AbortSignal.timeout(4000) })`)
const none = `throw new Error('nothing')`

export const nodeCases: readonly EscapeCase[] = [
  // reading
  given('read a file outside', 'mounts', `fs.readFileSync('@outside@/secret')`),
  given('read a file outside by a promise', 'mounts', `await fs.promises.readFile('@outside@/secret')`),
  given(
    'read a file outside as a stream',
    'mounts',
    `await new Promise((ok, no) => fs.createReadStream('@outside@/secret').on('data', ok).on('error', no))`,
  ),
  given('read with ..', 'mounts', `fs.readFileSync('../'.repeat(12) + '@outside@/secret')`),
  given('read by a file address', 'mounts', `fs.readFileSync(new URL('file://@outside@/secret'))`),
  given('read through a link of the project', 'mounts', `fs.readFileSync('link/secret')`),
  given('read through a link to the file itself', 'mounts', `fs.readFileSync('out/filelink')`),
  given(
    'read through a link it makes',
    'mounts',
    `fs.symlinkSync('@outside@', '/tmp/n1'); fs.readFileSync('/tmp/n1/secret')`,
  ),
  given(
    'swap a link between look and use',
    'mounts',
    `fs.writeFileSync('out/swap', 'x'); fs.statSync('out/swap'); fs.rmSync('out/swap'); fs.symlinkSync('@outside@/secret', 'out/swap'); fs.readFileSync('out/swap')`,
  ),
  given('hard-link a file outside', 'mounts', `fs.linkSync('@outside@/secret', 'out/n-hard')`),
  given('copy a file outside', 'mounts', `fs.copyFileSync('@outside@/secret', 'out/n-copy')`),
  given('list the folder outside', 'mounts', `fs.readdirSync('@outside@')`),
  given('watch the folder outside', 'mounts', `fs.watch('@outside@')`),
  given('load a module from outside', 'mounts', `require('@outside@/secret')`),
  given('import a module from outside', 'mounts', `await import('file://@outside@/secret.mjs')`),
  given('load a native module from outside', 'mounts', `process.dlopen({ exports: {} }, '@outside@/x.node')`),
  given(
    'read in a thread',
    'mounts',
    `await new Promise((ok, no) => new threads.Worker("require('fs').readFileSync('@outside@/secret')", { eval: true }).on('exit', (c) => c === 0 && ok()).on('error', no))`,
  ),
  given(
    'read in a thread with a fresh environment of the host',
    'environment',
    `const env = await new Promise((ok, no) => new threads.Worker("require('worker_threads').parentPort.postMessage({ ...process.env })", { eval: true, env: threads.SHARE_ENV }).on('message', ok).on('error', no)); if (!JSON.stringify(env).includes('canary-')) ${none}`,
  ),
  given('read the password hashes', 'mounts', `fs.readFileSync('/etc/shadow')`),
  given('read the SSH keys', 'mounts', `fs.readFileSync(os.homedir() + '/.ssh/id_ed25519')`),
  given('read the start file of the user', 'mounts', `fs.readFileSync('@home@/.bashrc')`),
  given('read the machine id', 'mounts', `fs.readFileSync('/etc/machine-id')`),
  given('look into /sys', 'mounts', `fs.readdirSync('/sys/class')`),
  given('look into /run', 'mounts', `fs.readdirSync('/run/systemd')`),
  given('look into /boot', 'mounts', `fs.readdirSync('/boot')`),
  given('open physical memory', 'mounts', `fs.openSync('/dev/mem')`),
  given('open kernel memory', 'capabilities', `fs.openSync('/proc/kcore')`),
  given('open the kernel log', 'mounts', `fs.openSync('/dev/kmsg')`),
  given('open the terminal', 'mounts', `fs.openSync('/dev/tty', 'r+')`),
  given('read the state of the crib', 'mask', `fs.readFileSync('.toolcrib/token')`),
  given('read the state of the crib by a detour', 'mask', `fs.readFileSync('docs/../.toolcrib/token')`),
  given(
    'read the state of the crib through /proc',
    'mask',
    `fs.readFileSync('/proc/self/cwd/.toolcrib/token')`,
  ),
  given('move the mask away', 'mask', `fs.renameSync('.toolcrib', 'out/t')`),
  given('put something under the mask', 'readOnly', `fs.writeFileSync('.toolcrib/token', 'mine')`),
  // /proc, environment, descriptors
  given('go through the root of init', 'mounts', `fs.readFileSync('/proc/1/root@outside@/secret')`),
  given('go through its own root', 'mounts', `fs.readFileSync('/proc/self/root@outside@/secret')`),
  given('read the environment of the host process', 'pids', `fs.readFileSync('/proc/@pid@/environ')`),
  given('read the memory of the host process', 'pids', `fs.openSync('/proc/@pid@/mem')`),
  given('follow the folder of the host process', 'pids', `fs.readlinkSync('/proc/@pid@/cwd')`),
  given(
    'find the canary in any environment',
    'environment',
    `const found = fs.readdirSync('/proc').filter((p) => /^\\d+$/.test(p) && tryRead('/proc/' + p + '/environ').includes('canary-')); if (found.length === 0) ${none}`,
  ),
  given(
    'find the canary in its own environment',
    'environment',
    `if (!JSON.stringify(process.env).includes('canary-')) ${none}`,
  ),
  given(
    'find a descriptor of the host',
    'environment',
    `const found = fs.readdirSync('/proc/self/fd').map((fd) => tryLink('/proc/self/fd/' + fd)).filter((to) => to.startsWith('/') && !['/dev/null', '/proc', '/usr', '/etc', '@project@', process.execPath].some((own) => to.startsWith(own))); if (found.length === 0) ${none}; throw new Error('ESCAPED ' + found)`,
  ),
  given('set the core pattern', 'readOnly', `fs.openSync('/proc/sys/kernel/core_pattern', 'r+')`),
  given('trigger sysrq', 'readOnly', `fs.openSync('/proc/sysrq-trigger', 'r+')`),
  given(
    'spare itself from the memory killer',
    'readOnly',
    `fs.writeFileSync('/proc/self/oom_score_adj', '-1000')`,
  ),
  // writing
  given('write a file outside', 'mounts', `fs.appendFileSync('@outside@/target', 'x')`),
  given('write through a link of the project', 'mounts', `fs.appendFileSync('link/target', 'x')`),
  given(
    'write through a link of its own',
    'mounts',
    `fs.symlinkSync('@outside@/target', 'out/n3'); fs.writeFileSync('out/n3', 'x', { flag: 'r+' })`,
  ),
  given('write a file of the project', 'readOnly', `fs.appendFileSync('b.md', 'x')`),
  given('make a file in the project', 'readOnly', `fs.writeFileSync('n-new.md', 'x')`),
  given('write the settings', 'readOnly', `fs.openSync('toolcrib.yaml', 'r+')`),
  given('make a lock file', 'readOnly', `fs.writeFileSync('toolcrib.lock', '{}')`),
  given('remove a file of the project', 'readOnly', `fs.rmSync('b.md')`),
  given(
    'rename over a file of the project',
    'readOnly',
    `fs.writeFileSync('out/n', 'x'); fs.renameSync('out/n', 'b.md')`,
  ),
  given('truncate a file of the project', 'readOnly', `fs.truncateSync('b.md')`),
  given('change the mode of a file of the project', 'readOnly', `fs.chmodSync('b.md', 0o777)`),
  given('change the times of a file of the project', 'readOnly', `fs.utimesSync('b.md', 1, 1)`),
  given(
    'reopen a read-only file for writing',
    'readOnly',
    `const fd = fs.openSync('b.md'); fs.openSync('/proc/self/fd/' + fd, 'r+')`,
  ),
  given(
    'link a file of the project into its folder',
    'readOnly',
    `fs.linkSync('b.md', 'out/n-b'); fs.appendFileSync('out/n-b', 'x')`,
  ),
  given('swap its folder for a link', 'readOnly', `fs.renameSync('out', 'out2')`),
  given('plant a program', 'readOnly', `fs.writeFileSync('/usr/bin/toolcrib-evil', 'x')`),
  given('plant a preloaded library', 'readOnly', `fs.writeFileSync('/etc/ld.so.preload', 'x')`),
  given('plant a start file', 'mounts', `fs.appendFileSync('@home@/.bashrc', 'x')`),
  given(
    'write a heap snapshot outside',
    'mounts',
    `v8.writeHeapSnapshot('@outside@/heap'); fs.statSync('@outside@/heap')`,
  ),
  given(
    'write a report outside',
    'mounts',
    `process.report.directory = '@outside@'; process.report.writeReport('r.json'); fs.statSync('@outside@/r.json')`,
  ),
  // processes
  given('signal the host process', 'pids', `process.kill(@pid@, 0)`),
  given('stop the host process', 'pids', `process.kill(@pid@, 'SIGSTOP')`),
  given('end a process of the host', 'pids', `process.kill(@sentinel@, 'SIGKILL')`),
  given('wake the debugger of the host process', 'pids', `process._debugProcess(@pid@)`),
  given('become another user', 'capabilities', `process.setuid(1000)`),
  given('take another group', 'capabilities', `process.setgroups([0, 4])`),
  given('raise its priority', 'capabilities', `os.setPriority(0, -20)`),
  given(
    'hold a capability',
    'environment',
    `const caps = [...fs.readFileSync('/proc/self/status', 'utf8').matchAll(/^Cap\\w+:\\s*(\\w+)/gm)]; if (caps.every((c) => /^0+$/.test(c[1]))) ${none}`,
  ),
  given(
    'be traced back to rights',
    'environment',
    `if (/NoNewPrivs:\\s*1/.test(fs.readFileSync('/proc/self/status', 'utf8'))) ${none}`,
  ),
  given(
    'have another Node preload a file outside',
    'mounts',
    `run(process.execPath, ['-e', '1'], { NODE_OPTIONS: '--require @outside@/secret.js' })`,
  ),
  given(
    'have another Node read outside with every flag',
    'mounts',
    `run(process.execPath, ['--allow-natives-syntax', '--expose-internals', '-e', "require('fs').readFileSync('@outside@/secret')"], {})`,
  ),
  // network
  tcp('connect to a server of the host', `{ port: @port@, host: '127.0.0.1' }`),
  tcp('connect by IPv6', `{ port: @port@, host: '::1' }`),
  tcp('connect by a mapped address', `{ port: @port@, host: '::ffff:127.0.0.1' }`),
  tcp('connect to all addresses', `{ port: @port@, host: '0.0.0.0' }`),
  tcp('connect to a socket file', `{ path: '@outside@/sock' }`),
  tcp('connect to an abstract socket', `{ path: '\\0@abstract@' }`),
  tcp('connect to the container engine', `{ path: '/var/run/docker.sock' }`),
  tcp('connect to the metadata service', `{ port: 80, host: '169.254.169.254' }`),
  tcp('connect to a private address', `{ port: 80, host: '10.0.0.1' }`),
  tcp('connect to a public address', `{ port: 443, host: '1.1.1.1' }`),
  tcp('connect to a public IPv6 address', `{ port: 443, host: '2606:4700:4700::1111' }`),
  http('fetch by name', 'http://localhost:@port@/'),
  http('fetch by a decimal address', 'http://2130706433:@port@/'),
  http('fetch by a hexadecimal address', 'http://0x7f000001:@port@/'),
  http('fetch by an octal address', 'http://0177.0.0.1:@port@/'),
  http('fetch by a short address', 'http://127.1:@port@/'),
  http('fetch the metadata service', 'http://169.254.169.254/latest/meta-data/'),
  http('fetch a public name', 'https://example.com/'),
  given('resolve a name', 'network', `await dns.promises.lookup('example.com')`),
  given(
    'ask a name server itself',
    'network',
    `const r = new dns.promises.Resolver({ timeout: 500, tries: 1 }); r.setServers(['8.8.8.8']); await r.resolve4('example.com')`,
  ),
  given(
    'send a datagram',
    'network',
    `await new Promise((ok, no) => { const s = dgram.createSocket('udp4'); s.on('error', no); s.send('x', 53, '8.8.8.8', (e) => { s.close(); e ? no(e) : ok() }) })`,
  ),
  ...sharedCases.map(({ name, wall, code }) => given(name, wall, `sh(${JSON.stringify(code)})`)),
]

/** Runs all cases in one process: numbered lines of JSON. */
export const nodeDriver = `
const fs = require('fs'), os = require('os'), net = require('net'), dns = require('dns'), dgram = require('dgram'), v8 = require('v8')
const threads = require('worker_threads'), { spawnSync } = require('child_process')
const tryRead = (path) => { try { return fs.readFileSync(path, 'latin1') } catch { return '' } }
const tryLink = (path) => { try { return fs.readlinkSync(path) } catch { return '' } }
const run = (file, args, env) => { const r = spawnSync(file, args, { encoding: 'utf8', timeout: 8000, env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', ...env } }); if (r.error) throw r.error; if (r.status !== 0) throw new Error(r.stderr) }
const sh = (script) => run('/bin/sh', ['-c', script], {})
const contact = (where) => new Promise((ok, no) => { const s = net.connect(where); s.setTimeout(4000, () => s.destroy(new Error('timed out'))); s.on('data', ok).on('error', no) })
const AsyncFunction = (async () => {}).constructor
const names = ['fs', 'os', 'net', 'dns', 'dgram', 'v8', 'threads', 'tryRead', 'tryLink', 'run', 'sh', 'contact', 'require']
const told = (e) => [e, e?.cause, ...(e?.errors ?? []), ...(e?.cause?.errors ?? [])].filter(Boolean).map((x) => (x.code ?? '') + ' ' + (x.message ?? x)).join(' ')
;(async () => {
  const cases = JSON.parse(fs.readFileSync(process.argv[1], 'utf8'))
  for (let index = 0; index < cases.length; index++) {
    let result
    try {
      await new AsyncFunction(...names, cases[index].replace(/import\\(/g, '(x => eval("import(x)"))('))(fs, os, net, dns, dgram, v8, threads, tryRead, tryLink, run, sh, contact, require)
      result = { escaped: true, error: '' }
    } catch (e) { result = { escaped: false, error: told(e) } }
    fs.writeSync(1, JSON.stringify({ index, ...result }) + '\\n')
  }
  process.exit(0)
})()
`
