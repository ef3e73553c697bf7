// What a hostile tool-code tool tries. Each snippet is the body of an async function: it returns when it got out and
// throws when it did not. `wall` is the one behind Deno's own permissions.
import type { EscapeCase } from './grounds.ts'
import { given } from './shared-cases.ts'

const connect = (name: string, options: string): EscapeCase =>
  given(name, 'network', `const c = await Deno.connect(${options}); await c.read(new Uint8Array(1))`)
const http = (name: string, url: string): EscapeCase =>
  given(name, 'network', `await fetch('${url}', { signal: AbortSignal.timeout(4000) })`)
const command = (name: string, wall: EscapeCase['wall'], file: string, ...args: string[]): EscapeCase =>
  given(name, wall, `run(${JSON.stringify(file)}, ${JSON.stringify(args)})`)

export const denoCases: readonly EscapeCase[] = [
  // reading
  given('read a file outside', 'mounts', `await Deno.readTextFile('@outside@/secret')`),
  given('read a file outside at once', 'mounts', `Deno.readFileSync('@outside@/secret')`),
  given('read by a file address', 'mounts', `Deno.readTextFileSync(new URL('file://@outside@/secret'))`),
  given('read with ..', 'mounts', `Deno.readTextFileSync('../'.repeat(16) + '@outside@/secret')`),
  given('read through node:fs', 'mounts', `(await import('node:fs')).readFileSync('@outside@/secret')`),
  given(
    'fetch a file',
    'mounts',
    `const r = await fetch('file://@outside@/secret'); if (!(await r.text()).includes('x')) throw new Error('not found')`,
  ),
  given('import a file as text', 'mounts', `await load('@outside@/secret', 'text')`),
  given('import a file as JSON', 'mounts', `await load('@outside@/secret', 'json')`),
  given('import a module from outside', 'mounts', `await load('@outside@/secret.mjs')`),
  given(
    'read in a thread',
    'mounts',
    `await new Promise((ok, no) => { const w = new Worker('data:text/javascript,' + encodeURIComponent("Deno.readTextFileSync('@outside@/secret'); postMessage(1)"), { type: 'module' }); w.onmessage = ok; w.onerror = (e) => { e.preventDefault(); no(new Error(e.message)) } })`,
  ),
  given('list the folder outside', 'mounts', `[...Deno.readDirSync('@outside@')]`),
  given('look at a file outside', 'mounts', `Deno.statSync('@outside@/secret')`),
  given('follow a link to outside', 'mounts', `Deno.realPathSync('@outside@')`),
  given('watch the folder outside', 'mounts', `const w = Deno.watchFs('@outside@'); w.close()`),
  given(
    'open a database outside',
    'mounts',
    `new (await import('node:sqlite')).DatabaseSync('@outside@/x.db')`,
  ),
  given('read the password hashes', 'mounts', `Deno.readTextFileSync('/etc/shadow')`),
  given('read the start file of the user', 'mounts', `Deno.readTextFileSync('@home@/.bashrc')`),
  given('read the machine id', 'mounts', `Deno.readTextFileSync('/etc/machine-id')`),
  given('look into /sys', 'mounts', `[...Deno.readDirSync('/sys/class')]`),
  given('look into /run', 'mounts', `[...Deno.readDirSync('/run/systemd')]`),
  given('open physical memory', 'mounts', `Deno.openSync('/dev/mem')`),
  given('open the kernel log', 'mounts', `Deno.openSync('/dev/kmsg')`),
  given('open the terminal', 'mounts', `Deno.openSync('/dev/tty', { read: true, write: true })`),
  given('read a file of the project', 'mounts', `Deno.readTextFileSync('@project@/b.md')`),
  given('read the state of the crib', 'mounts', `Deno.readTextFileSync('@project@/.toolcrib/token')`),
  given('read the settings of the crib', 'mounts', `Deno.readTextFileSync('@project@/toolcrib.yaml')`),
  // /proc, environment, descriptors
  given('go through the root of init', 'mounts', `Deno.readTextFileSync('/proc/1/root@outside@/secret')`),
  given('go through its own root', 'mounts', `Deno.readTextFileSync('/proc/self/root@outside@/secret')`),
  given('read the environment of the host process', 'pids', `Deno.readTextFileSync('/proc/@pid@/environ')`),
  given('read the memory of the host process', 'pids', `Deno.openSync('/proc/@pid@/mem')`),
  given('follow the folder of the host process', 'pids', `Deno.readLinkSync('/proc/@pid@/cwd')`),
  given(
    'find the canary in its environment',
    'environment',
    `if (!JSON.stringify(Deno.env.toObject()).includes('canary-')) throw new Error('nothing')`,
  ),
  given(
    'find the home folder of the user',
    'environment',
    `if (!Deno.env.get('HOME')) throw new Error('nothing')`,
  ),
  given(
    'find the canary through node:process',
    'environment',
    `if (!JSON.stringify({ ...(await import('node:process')).env }).includes('canary-')) throw new Error('nothing')`,
  ),
  given(
    'find a file of the host open',
    'environment',
    `for (const fd of Deno.readDirSync('/proc/self/fd')) { let to = ''; try { to = Deno.readLinkSync('/proc/self/fd/' + fd.name) } catch {} if (to.includes('@outside@') || to.includes('.toolcrib')) return } throw new Error('nothing')`,
  ),
  given(
    'open the core pattern',
    'readOnly',
    `Deno.openSync('/proc/sys/kernel/core_pattern', { write: true })`,
  ),
  // writing
  given('write a file outside', 'mounts', `Deno.writeTextFileSync('@outside@/target', 'x')`),
  given(
    'write through node:fs',
    'mounts',
    `(await import('node:fs')).appendFileSync('@outside@/target', 'x')`,
  ),
  given(
    'write a file of the project',
    'mounts',
    `Deno.writeTextFileSync('@project@/b.md', 'x', { create: false })`,
  ),
  given(
    'write the settings of the crib',
    'mounts',
    `Deno.writeTextFileSync('@project@/toolcrib.yaml', 'trust: off', { create: false })`,
  ),
  given(
    'make a lock file',
    'environment',
    `Deno.writeTextFileSync('@project@/toolcrib.lock', '{}'); throw new Error('nothing')`,
  ),
  given('remove a file outside', 'mounts', `Deno.removeSync('@outside@/target')`),
  given('rename a file outside', 'mounts', `Deno.renameSync('@outside@/target', '@outside@/moved')`),
  given('copy a file outside', 'mounts', `Deno.copyFileSync('@outside@/secret', 'copy')`),
  given('hard-link a file outside', 'mounts', `Deno.linkSync('@outside@/secret', 'hard')`),
  given(
    'write through a link it makes',
    'mounts',
    `Deno.symlinkSync('@outside@/target', 'l'); const f = Deno.openSync('l', { write: true }); f.writeSync(new Uint8Array(1))`,
  ),
  given('change the mode of a file outside', 'mounts', `Deno.chmodSync('@outside@/target', 0o777)`),
  given('plant a program', 'mounts', `Deno.writeTextFileSync('/usr/bin/toolcrib-evil', 'x')`),
  given('plant a library', 'readOnly', `Deno.writeTextFileSync('/usr/lib/toolcrib-evil.so', 'x')`),
  given('plant a start file', 'mounts', `Deno.writeTextFileSync('@home@/.bashrc', 'x', { append: true })`),
  given(
    'write a heap snapshot outside',
    'mounts',
    `(await import('node:v8')).writeHeapSnapshot('@outside@/heap')`,
  ),
  // processes
  command('start a shell', 'mounts', '/bin/sh', '-c', 'cat @outside@/secret'),
  command('start a program', 'mounts', '/bin/cat', '@outside@/secret'),
  command('start curl', 'mounts', '/usr/bin/curl', 'http://127.0.0.1:@port@/'),
  given(
    'start a program through Node',
    'mounts',
    `(await import('node:child_process')).execFileSync('/bin/cat', ['@outside@/secret'])`,
  ),
  given(
    'start itself with every right',
    'mounts',
    `run(Deno.execPath(), ['eval', "Deno.readTextFileSync('@outside@/secret')"])`,
  ),
  given(
    'write a program and run it',
    'mounts',
    `Deno.writeTextFileSync('p.sh', '#!/bin/sh\\ncat @outside@/secret', { mode: 0o755 }); run('./p.sh', [])`,
  ),
  given(
    'load a library',
    'capabilities',
    `const c = Deno.dlopen('libc.so.6', { mount: { parameters: ['buffer', 'buffer', 'buffer', 'u64', 'pointer'], result: 'i32' } }); const s = (t) => new TextEncoder().encode(t + '\\0'); if (c.symbols.mount(s('none'), s('/tmp'), s('tmpfs'), 0n, null) !== 0) throw new Error('not permitted')`,
  ),
  given(
    'trace the host process',
    'pids',
    `const c = Deno.dlopen('libc.so.6', { ptrace: { parameters: ['i64', 'i32', 'usize', 'usize'], result: 'i64' } }); if (Number(c.symbols.ptrace(16n, @pid@, 0n, 0n)) !== 0) throw new Error('No such process')`,
  ),
  given(
    'queue calls past the filter',
    'seccomp',
    `const c = Deno.dlopen('libc.so.6', { syscall: { parameters: ['i64', 'i64', 'buffer'], result: 'i64' } }); if (Number(c.symbols.syscall(425n, 8n, new Uint8Array(120))) < 0) throw new Error('ENOSYS')`,
  ),
  given(
    'load a native module',
    'mounts',
    `(await import('node:process')).dlopen({ exports: {} }, '@outside@/x.node')`,
  ),
  given('signal the host process', 'pids', `Deno.kill(@pid@, 'SIGSTOP')`),
  given('end a process of the host', 'pids', `Deno.kill(@sentinel@, 'SIGKILL')`),
  given(
    'end a process of the host through Node',
    'pids',
    `(await import('node:process')).kill(@sentinel@, 'SIGKILL')`,
  ),
  given('leave its working folder', 'mounts', `Deno.chdir('@outside@')`),
  given(
    'hold a capability',
    'environment',
    `if (!/Cap(Eff|Bnd):\\s*0*[1-9a-f]/.test(Deno.readTextFileSync('/proc/self/status'))) throw new Error('nothing')`,
  ),
  // network
  connect('connect to a server of the host', `{ hostname: '127.0.0.1', port: @port@ }`),
  connect('connect by IPv6', `{ hostname: '::1', port: @port@ }`),
  connect('connect by a mapped address', `{ hostname: '::ffff:127.0.0.1', port: @port@ }`),
  connect('connect to a socket file', `{ transport: 'unix', path: '@outside@/sock' }`),
  connect('connect to the container engine', `{ transport: 'unix', path: '/var/run/docker.sock' }`),
  connect('connect to the metadata service', `{ hostname: '169.254.169.254', port: 80 }`),
  connect('connect to a public address', `{ hostname: '1.1.1.1', port: 443 }`),
  connect('connect to a public IPv6 address', `{ hostname: '2606:4700:4700::1111', port: 443 }`),
  given(
    'connect to an abstract socket',
    'network',
    `const { connect } = await import('node:net'); await new Promise((ok, no) => connect({ path: '\\0@abstract@' }).on('data', ok).on('error', no))`,
  ),
  http('fetch from the host', 'http://127.0.0.1:@port@/'),
  http('fetch by name', 'http://localhost:@port@/'),
  http('fetch by a decimal address', 'http://2130706433:@port@/'),
  http('fetch by a hexadecimal address', 'http://0x7f000001:@port@/'),
  http('fetch by an octal address', 'http://0177.0.0.1:@port@/'),
  http('fetch a public name', 'https://example.com/'),
  given(
    'resolve a name',
    'network',
    `await Deno.resolveDns('example.com', 'A', { nameServer: { ipAddr: '8.8.8.8' } })`,
  ),
  given(
    'open a socket of the web',
    'network',
    `await new Promise((ok, no) => { const w = new WebSocket('ws://127.0.0.1:@port@'); w.onopen = ok; w.onerror = (e) => no(e.error ?? new Error(e.message || 'refused')) })`,
  ),
  given('fetch a module from outside', 'imports', `await load('http://127.0.0.1:@port@/x.mjs')`),
  given('fetch a package', 'imports', `await eval("import('npm:left-pad')")`),
]

/** Helpers and the loop, as the body of an async function over `cases`; gives the results back. */
export const denoLoop = `
const run = (file, args) => { const r = new Deno.Command(file, { args, stdout: 'piped', stderr: 'piped' }).outputSync(); if (!r.success) throw new Error(new TextDecoder().decode(r.stderr)) }
const load = (path, type) => { const at = path.includes('://') ? path : 'file://' + path; return eval('import(at' + (type ? ', { with: { type: "' + type + '" } }' : '') + ')') }
const AsyncFunction = (async () => {}).constructor
const results = []
for (let index = 0; index < cases.length; index++) {
  try {
    const body = cases[index].replace(/import\\('/g, "(x => eval('import(x)'))('")
    await Promise.race([new AsyncFunction('run', 'load', body)(run, load), new Promise((_, no) => setTimeout(() => no(new Error('timed out')), 6000))])
    results.push({ index, escaped: true, error: '' })
  } catch (e) { results.push({ index, escaped: false, error: e?.name + ' ' + (e?.code ?? '') + ' ' + (e?.message ?? e) + ' ' + (e?.cause?.message ?? '') }) }
}
return results`
