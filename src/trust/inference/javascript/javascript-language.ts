// What JavaScript's names do: globals, Node's modules, Deno, and the calls of well-known packages.
import { nodeModules } from '../../../formats/standard-modules.ts'
import { Language, type LanguageFacts, type Place } from '../language.ts'
import { javascriptPackages } from '../packages.ts'
import { rulesOf } from '../rules.ts'
import { exact, given, isExact, textOf, unknown, type Value } from '../value.ts'
import { readJavaScript } from './read-javascript.ts'

const each = (prefix: string, names: string): string =>
  names
    .split(' ')
    .map((name) => `${prefix}.${name}`)
    .join(' ')
const http = 'get post put patch delete head options request'

const lines = {
  'read:0': `${each('fs', 'readFile createReadStream readdir opendir readlink openAsBlob')} ${each('Deno', 'readFile readTextFile readDir readLink')} Bun.file glob globby fast-glob dotenv.config fs-extra.readJson fs-extra.readJSON jsonfile.readFile`,
  'write:0': `${each('fs', 'writeFile appendFile createWriteStream unlink rm rmdir mkdir truncate chmod chown lchown utimes')} ${each('Deno', 'writeFile writeTextFile remove mkdir truncate chmod chown create')} Bun.write rimraf mkdirp fs-extra.outputFile fs-extra.writeJson fs-extra.remove fs-extra.ensureDir fs-extra.ensureFile fs-extra.emptyDir jsonfile.writeFile`,
  'open:0': 'fs.open Deno.open',
  'read:0 write:1': `${each('fs', 'copyFile cp link symlink rename')} ${each('Deno', 'copyFile rename link symlink')} fs-extra.copy fs-extra.move`,
  'address:0 gives:downloaded': `fetch axios ${each('axios', http)} ${each('axios.create()', http)} ${each('https', 'get request')} ${each('http', 'get request')} ${each('got', 'get post put patch delete head stream')} got node-fetch cross-fetch undici.fetch undici.request undici.stream ky ${each('ky', http)} superagent ${each('superagent', http)} needle ${each('needle', http)} request ${each('request', http)} WebSocket ws ws.WebSocket EventSource eventsource http2.connect navigator.sendBeacon socket.io-client socket.io-client.io mongoose.connect`,
  'address:1 gives:downloaded': 'XMLHttpRequest().open',
  'gives:connect':
    'net.connect net.createConnection tls.connect net.Socket().connect Deno.connect Deno.connectTls net.Socket',
  'host:0': `${each('dns', 'lookup resolve resolve4 resolve6 resolveTxt resolveMx resolveCname resolveAny reverse')} Deno.resolveDns`,
  'host:2': 'dgram.createSocket().send',
  'shell:0':
    'child_process.exec shelljs.exec zx.$ execa.execaCommand execa.command execa.$ Bun.$ node-cmd.run',
  'argv:0':
    'child_process.spawn child_process.execFile execa execa.execa cross-spawn Deno.Command Deno.run Bun.spawn node-pty.spawn',
  'gives:fork': 'child_process.fork worker_threads.Worker Worker cluster.fork',
  'code:0':
    'eval vm.runInNewContext vm.runInThisContext vm.runInContext vm.Script vm.compileFunction vm.SourceTextModule safe-eval vm2.VM().run require-from-string vm.Module module()._compile module.Module()._compile module.constructor()._compile',
  'gives:function': 'Function AsyncFunction GeneratorFunction',
  'gives:timer': 'setTimeout setInterval setImmediate',
  'import:0':
    'require import process.mainModule.require module.require require.main.require module.constructor._load Module._load module._load createRequire() importScripts',
  'gives:require': 'module.createRequire module.createRequireFromPath',
  'gives:decoded:base64': 'atob Uint8Array.fromBase64',
  'gives:decoded:percent': 'unescape decodeURIComponent decodeURI',
  'gives:decoded:hex': 'Uint8Array.fromHex',
  'gives:decoded:other':
    'zlib.inflate zlib.gunzip zlib.brotliDecompress zlib.unzip zlib.inflateRaw crypto.createDecipheriv crypto.privateDecrypt pako.inflate lz-string.decompress',
  'gives:buffer': 'Buffer.from Buffer',
  'gives:char': 'String.fromCharCode String.fromCodePoint',
  'gives:0':
    'Object.getPrototypeOf Reflect.getPrototypeOf URL String Promise.resolve Promise.all util.promisify util.callbackify Object.assign Object.freeze Array.from path.normalize url.parse url.pathToFileURL url.fileURLToPath encodeURI TextDecoder().decode TextEncoder().encode Uint8Array Request Promise.race Promise.allSettled JSON.parse structuredClone Object.values Object.entries Array.of Headers String.raw',
  'gives:path': 'path.join path.resolve path.posix.join path.posix.resolve',
  'gives:folder': 'path.dirname path.posix.dirname',
  'gives:home': 'os.homedir Deno.homeDir',
  'gives:here': 'process.cwd Deno.cwd',
  'gives:tmp': 'os.tmpdir fs.mkdtemp',
  'gives:given': 'process.stdin.read readline.createInterface().question util.parseArgs Deno.stdin.read',
  'gives:reflect': 'Reflect.get',
  'gives:apply': 'Reflect.apply Reflect.construct',
  'variable:0': 'Deno.env.get',
  environment: 'process.env Deno.env.toObject Deno.env',
  unknown:
    'process.dlopen Deno.dlopen WebAssembly.instantiate WebAssembly.compile WebAssembly.Module WebAssembly.Instance WebAssembly.instantiateStreaming ffi-napi.Library bindings',
  'gives:binding': 'process.binding process._linkedBinding',
}

const globals = new Set(
  'eval Function fetch WebSocket EventSource XMLHttpRequest Worker importScripts require import process Deno Bun Buffer atob unescape decodeURIComponent decodeURI setTimeout setInterval setImmediate String Promise Object Array URL Reflect globalThis global window self navigator module TextDecoder TextEncoder Uint8Array WebAssembly JSON Request structuredClone Headers console Math'.split(
    ' ',
  ),
)

const everything = new Set(['globalThis', 'global', 'window', 'self'])

function member(of: Value, key: Value, { findings, at }: Place): Value | undefined {
  if (of.kind === 'api' && everything.has(of.name)) {
    if (isExact(key)) return javascriptLanguage().global(key.text) ?? unknown
    findings.add('code.dynamic', at, 'computed', textOf(key).certainty)
    return unknown
  }
  if (of.kind === 'api' && of.name === 'process.env') {
    findings.variable(key, at)
    return isExact(key) && (key.text === 'HOME' || key.text === 'USERPROFILE') ? exact('~') : unknown
  }
  if (!isExact(key)) return undefined
  if (key.text === 'constructor') return constructorOf(of)
  if (key.text === '__proto__') return of
  if (of.kind === 'text' && key.text === 'href') return of
  return of.kind === 'api' ? javascriptLanguage().constant(`${of.name}.${key.text}`) : undefined
}

/** The constructor of a constructor makes functions of texts. */
function constructorOf(of: Value): Value | undefined {
  // What a list or a known text has is a function: `[].filter`.
  const isOfKnown = of.kind === 'method' && (of.of.kind === 'list' || isExact(of.of))
  if (of.kind === 'function' || isOfKnown || (of.kind === 'method' && of.name === 'constructor'))
    return { kind: 'api', name: 'Function' }
  if (of.kind === 'api' && of.name === 'module') return undefined
  if (of.kind === 'api') return { kind: 'api', name: 'Function' }
  return { kind: 'method', name: 'constructor', of }
}

const callsTools = /(?:^|\.)(?:api\.callTool|manager\.invoke|rye\.execute|tools\.call|callTool)$/
const readsSecrets = /(?:^|\.)(?:api\.getSecret|getSecret|secrets\.get)$/

const facts: Omit<LanguageFacts, 'rules'> = {
  globals,
  constants: {
    'process.argv': given,
    'Deno.args': given,
    'process.execPath': exact('node'),
    'path.sep': exact('/'),
    __dirname: exact('{tool}'),
    __filename: exact('{tool}/.'),
    'import.meta': {
      kind: 'object',
      entries: new Map([
        ['url', exact('{tool}/.')],
        ['dirname', exact('{tool}')],
        ['filename', exact('{tool}/.')],
      ]),
    },
  },
  packages: javascriptPackages,
  moduleName: (specifier) =>
    /^(?:\.|\/|#|file:)/.test(specifier)
      ? null
      : canonical(specifier.replace(/^(?:node|npm|jsr):/, '').replace(/(?<=.)@[\^~\d][^/]*/, '')),
  packageOf(module) {
    const root = module.startsWith('@') ? module.split('/').slice(0, 2).join('/') : module.split(/[/.]/)[0]!
    const whole = module.startsWith('@') ? root : module.split('/')[0]!
    return nodeModules.has(root) || module === 'import' ? null : whole
  },
  canonical,
  member,
  method(target, { args, at }, findings) {
    const path = `${pathOf(target.of)}.${target.name}`
    const name = args[0] ? textOf(args[0]) : unknown
    const detail = isExact(name) ? name.text : undefined
    if (callsTools.test(path)) findings.add('rye.execute', at, detail, name.certainty)
    else if (readsSecrets.test(path)) findings.add('secrets.read', at, detail, name.certainty)
    return undefined
  },
  read: readJavaScript,
}

let language: Language | undefined

/** Made when the first text needs it. */
export function javascriptLanguage(): Language {
  language ??= new Language({ ...facts, rules: rulesOf(lines) })
  return language
}

function pathOf(value: Value): string {
  if (value.kind === 'method') return `${pathOf(value.of)}.${value.name}`
  return value.kind === 'text' ? (value.path ?? '') : ''
}

/** Node's modules under one name, whether they answer at once, by promise or by callback. */
function canonical(name: string): string {
  return name
    .replace(/^(fs|dns|readline|timers|stream)\/promises/, '$1')
    .replace(/^(fs|dns)\.promises(?=\.|$)/, '$1')
    .replace(/\.default(?=\.|$)/, '')
    .replace(/^((?:fs|child_process|zlib|fs-extra|Deno|execa|rimraf)\.\w+)Sync$/, '$1')
    .replace(/^rimraf\.(?:sync|rimraf)$/, 'rimraf')
}
