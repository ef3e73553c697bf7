// Keeps a Node process warm: imports a tool's file once, then calls its function for each message. Messages are
// lines of JSON on descriptor 3; standard output and error belong to the tool, the host logs what comes out there.
import { AsyncLocalStorage } from 'node:async_hooks'
import { ChildProcess } from 'node:child_process'
import { readFileSync, readSync, statSync, writeSync } from 'node:fs'
import { register } from 'node:module'
import { Socket } from 'node:net'
import { dirname, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pathToFileURL } from 'node:url'

if (process.env.TOOLCRIB_WATCHED) await import('./watch-environment.mjs')

const channel = new Socket({ fd: 3, readable: true, writable: true })
const home = process.cwd()
const startEnv = { ...process.env }
const startArgv = process.argv
/** Files of loaded tools with their size and time; a change makes the host replace this process. */
const watched = new Map()
const tools = new Map()
let readsTypeScript = false
/** What the tool's files must be, and the part that holds them to it; null for tools nobody vouches for. */
const loading = new Map()
let seal = null
/** The file whose seal broke first in this process. */
let brokenFile
let sealing = null
/** What code skills need, loaded with the first of them. */
let skills = null
let groups = null
let resolvesPackage = false
/** The calls that run, side by side; what happens in one finds it by `running`. */
const running = new AsyncLocalStorage()
const calls = new Map()
/** Questions to the host that wait for their answer, by number. */
const asked = new Map()
let lastQuestion = 0
const maxCalls = 16

// A call that started processes is the last of its worker, so that none of them outlives it unseen.
const spawn = ChildProcess.prototype.spawn
ChildProcess.prototype.spawn = function (...args) {
  for (const call of running.getStore() ? [running.getStore()] : calls.values()) call.hasSpawned = true
  return spawn.apply(this, args)
}

Object.defineProperty(process, 'stdin', {
  configurable: true,
  /** Standard input of the call, made when the tool asks for it. */
  get() {
    const call = running.getStore() ?? calls.values().next().value
    if (!call) return Readable.from([])
    return (call.stdin ??= Readable.from([JSON.stringify(call.params)]))
  },
})

// Calls run side by side, so what one of them prints is told with its number.
for (const [fd, stream] of [[1, process.stdout], [2, process.stderr]]) {
  const write = stream.write
  stream.write = function (chunk, encoding, done) {
    const call = running.getStore()
    if (!call) return write.apply(this, arguments)
    const text = typeof chunk === 'string' && (typeof encoding !== 'string' || /^utf-?8$/i.test(encoding))
    const part = text ? { text: chunk } : { bytes: Buffer.from(chunk, typeof encoding === 'string' ? encoding : undefined).toString('base64') }
    say(JSON.stringify({ t: 'print', id: call.id, fd, ...part }))
    const then = typeof encoding === 'function' ? encoding : done
    if (then) process.nextTick(then)
    return true
  }
}

for (const [event, kind] of [['uncaughtException', 'error'], ['unhandledRejection', 'rejection']]) {
  process.on(event, (error) => {
    // The import that asked for the refused file fails too, and its call says so.
    if (sealing?.brokenSeal(error) !== undefined) return
    const { type, message, stack } = failureOf(error)
    say(JSON.stringify({ t: 'stray', id: running.getStore()?.id ?? 0, kind, message: `${type}: ${message}`, stack }))
  })
}

globalThis.toolcrib = Object.freeze({
  /** Calls another tool of the crib; needs the capability `rye.execute`. */
  execute: (ref, params = {}) => ask('execute', [String(ref), params]),
  /** Starts another tool and does not wait for it; needs `rye.execute.spawn.thread` too. */
  spawn: (ref, params = {}) => ask('spawn', [String(ref), params]),
  progress(done, total, message = '') {
    process.stdout.write(`::progress ${done}${total === undefined ? '' : `/${total}`} ${message}\n`)
  },
})

async function ask(op, args) {
  const outcome = JSON.parse(await askHost(op, args))
  if (outcome.ok) return outcome.value
  throw Object.assign(new Error(outcome.error?.message ?? 'the tool failed'), { code: outcome.error?.code, outcome })
}

/** The host's answer, as JSON text; what it refuses reads like a tool that failed. */
function askHost(op, args, id = running.getStore()?.id ?? calls.keys().next().value ?? 0) {
  return new Promise((done) => {
    const n = ++lastQuestion
    asked.set(n, ({ ok, json, error }) => done(ok ? json : JSON.stringify({ ok, error })))
    say(JSON.stringify({ t: 'ask', id, n, op, json: JSON.stringify(args) }))
  })
}

let pending = []
/** Messages that came while an answer was waited for on the spot. */
const later = []
channel.on('data', (chunk) => {
  takeLater()
  eachLine(chunk, (line) => take(JSON.parse(line)))
})

function eachLine(chunk, hear) {
  let rest = chunk
  for (let end = rest.indexOf(10); end !== -1; end = rest.indexOf(10)) {
    pending.push(rest.subarray(0, end))
    const line = pending.length === 1 ? pending[0].toString('utf8') : Buffer.concat(pending).toString('utf8')
    pending = []
    rest = rest.subarray(end + 1)
    hear(line)
  }
  if (rest.length > 0) pending.push(rest)
}

function takeLater() {
  for (const message of later.splice(0)) take(message)
}

/** The host's answer, waited for on the spot: for what a context gives without a promise. */
function askHostNow(op, args, id) {
  if (channel.writableLength > 0) throw new Error(`${op} must wait: the channel to the host is full.`)
  const n = ++lastQuestion
  const question = Buffer.from(`${JSON.stringify({ t: 'ask', id, n, op, json: JSON.stringify(args) })}\n`)
  for (let at = 0; at < question.length; ) at += orPause(() => writeSync(3, question, at))
  let found
  const chunk = Buffer.allocUnsafe(65_536)
  const hear = (line) => {
    const message = JSON.parse(line)
    if (message.t === 'answer' && message.n === n) found = message
    else later.push(message)
  }
  while (!found) {
    const length = orPause(() => readSync(3, chunk) || process.exit(0))
    eachLine(Buffer.from(chunk.subarray(0, length)), hear)
  }
  if (later.length > 0) setImmediate(takeLater)
  return found.ok ? found.json : JSON.stringify({ error: { e: JSON.stringify(found.error) } })
}

const pause = new Int32Array(new SharedArrayBuffer(4))

/** What an operation on the channel gives; 0 after a moment where it would have to wait. */
function orPause(operation) {
  try {
    return operation()
  } catch (error) {
    if (error.code !== 'EAGAIN') throw error
    Atomics.wait(pause, 0, 0, 0.1)
    return 0
  }
}

channel.on('end', () => process.exit(0))
channel.on('error', () => process.exit(1))

/** Tools by number: each is described once and named by its number from then on. */
const knownTools = new Map()

function take(message) {
  switch (message.t) {
    case 'ping':
      return say(`{"t":"pong","n":${message.n}}`)
    case 'answer': {
      const hear = asked.get(message.n)
      asked.delete(message.n)
      return hear?.(message)
    }
    case 'abort':
      return calls.get(message.id)?.controller.abort(new DOMException(message.reason, 'AbortError'))
    case 'call':
      if (message.describe) {
        knownTools.set(message.tool, message.describe)
        seal = message.seal ?? null
      }
      for (const { tool, describe } of message.followers ?? []) if (describe) knownTools.set(tool, describe)
      if (message.own && !skills) return openSkills(message)
      answer(knownTools.get(message.tool), message)
  }
}

const early = []

/** The first calls of skills wait, in order, until the part that takes them is loaded. */
async function openSkills(message) {
  if (early.push(message) > 1) return
  ;[skills, groups] = await Promise.all([import('./skill-context.mjs'), import('./skill-group.mjs')])
  for (const waiting of early.splice(0)) answer(knownTools.get(waiting.tool), waiting)
}

async function answer(tool, message) {
  const { id, params } = message
  const call = { id, params, stdin: null, hasSpawned: false, controller: new AbortController() }
  // What comes with a call counts for those after it too, whatever becomes of this one.
  const skill = message.own && takeSkill(message, call)
  if (isStale()) return say(`{"t":"stale","id":${id}}`)
  calls.set(id, call)
  let reply
  try {
    process.argv = [process.execPath, tool.file, ...(message.argv ?? [])]
    if (message.cwd) process.chdir(message.cwd)
    if (message.env) Object.assign(process.env, message.env)
    const value = await running.run(call, async () => {
      if (skill) return skill.run(tool)
      const entry = tools.get(tool.file) ?? (await loadOnce(tool))
      if (message.load) return frontmatterOf(entry.module)
      return entry(params, tool.project)
    })
    reply = skill ? skill.reply(value, tool.max) : replyOf(id, value, tool.max)
  } catch (error) {
    // Node remembers a module that was refused as one that is there: whoever asks after that fails in other words.
    const broken = sealing?.brokenSeal(error) ?? (tools.has(tool.file) ? undefined : brokenFile)
    brokenFile ??= broken
    const more = skill?.thrown(error)
    reply = JSON.stringify(broken === undefined ? { t: 'error', id, ...failureOf(error), ...more } : { t: 'sealed', id, file: broken })
  }
  calls.delete(id)
  if (call.hasSpawned) say('{"t":"retire"}')
  // The next message is not taken before this is done, so the host need not wait for it.
  say(reply)
  if (calls.size === 0) restore()
}

/** A call of a skill, or of a function that one gave to the host. */
function takeSkill(message, call) {
  const { id } = message
  skills.prepare(message)
  const host = {
    send: (op, given) => askHost(op, given, id),
    sendNow: (op, given) => askHostNow(op, given, id),
    say: (told) => say(JSON.stringify(told)),
  }
  const group = message.followers && new groups.Group(message, call, { host, skills, load: (tool) => loadSkill(knownTools.get(tool)) })
  const { context, args, changes } = group ? group.first : skills.contextOf(call, message, host)
  const params = message.params ? skills.unpack(message.params) : args
  const given = message.fn && skills.unpack(message.fn)
  return {
    async run(tool) {
      if (given) return given(context, params)
      const { fn, module } = tools.get(tool.file) ?? (await loadOnce(tool))
      skills.noteLoaded(tool.skill, fn, module, context)
      return group ? group.run(() => fn(context, params)) : fn(context, params)
    },
    reply(value, max) {
      const list = changes()
      const changed = list.length === 0 ? '' : `,"changes":${JSON.stringify(JSON.stringify(list))}`
      if (!message.keep) return `${replyOf(id, value, max, jsonOf).slice(0, -1)}${changed}}`
      const kept = skills.packed(value, 'result')
      if (kept.length > max) return `{"t":"too-large","id":${id},"bytes":${kept.length}}`
      return `{"t":"result","id":${id},"kept":${JSON.stringify(kept)}${changed}${group ? `,"group":${JSON.stringify(group.told())}` : ''}}`
    },
    /** What was thrown, as the same thing it was before if the host knows it. */
    thrown(error) {
      try {
        return { thrown: skills.packed(error, 'error'), changes: JSON.stringify(changes()), ...(group && { group: group.told() }) }
      } catch {
        return {}
      }
    },
  }
}

async function loadSkill(tool) {
  return { ...(tools.get(tool.file) ?? (await loadOnce(tool))), name: tool.skill }
}

/** Of a skill that computes it; whatever is wrong with it is told in the words of a load. */
function frontmatterOf(module) {
  try {
    const { frontmatter } = module
    JSON.stringify(frontmatter)
    return frontmatter
  } catch (error) {
    throw loadError('FRONTMATTER_INVALID', messageOf(error))
  }
}

/** Writes at once: the way through the stream takes longer than a small message is worth. */
function say(line) {
  const text = `${line}\n`
  let written = 0
  try {
    if (channel.writableLength === 0) written = writeSync(3, text)
  } catch {
    // Full for now: the stream waits.
  }
  if (written === text.length) return
  const bytes = Buffer.from(text)
  if (written < bytes.length) channel.write(bytes.subarray(written))
}

function replyOf(id, value, max, write = textOf) {
  if (value === undefined) return `{"t":"result","id":${id},"isUndefined":true}`
  const text = write(value)
  if (text === undefined) return JSON.stringify({ t: 'result', id, value: String(value) })
  return text.length > max ? `{"t":"too-large","id":${id},"bytes":${text.length}}` : `{"t":"result","id":${id},"value":${text}}`
}

/** Of what a skill gives back: as inside the host, it is JSON or it is refused. */
function jsonOf(value) {
  try {
    return JSON.stringify(value)
  } catch (error) {
    throw loadError('RESULT_INVALID', messageOf(error))
  }
}

function textOf(value) {
  try {
    return JSON.stringify(value)
  } catch (error) {
    // Only a BigInt can be helped, by a way that is slower for everything.
    if (!/BigInt/.test(error?.message)) throw error
    return JSON.stringify(value, (_, item) => (typeof item === 'bigint' ? String(item) : item))
  }
}

function failureOf(error) {
  const isError = error instanceof Error
  let message
  try {
    message = isError ? error.message : typeof error === 'string' ? error : (JSON.stringify(error) ?? String(error))
  } catch {
    message = 'an error that cannot be shown'
  }
  return {
    type: String(isError ? (error.name ?? 'Error') : typeof error).slice(0, 200),
    message: String(message).slice(0, 8000),
    stack: isError ? String(error.stack ?? '').slice(0, 16000) : '',
  }
}

/** Calls side by side that need the same file wait for one load of it. */
async function loadOnce(tool) {
  const begun = loading.get(tool.file)
  if (begun) return await begun
  const started = load(tool)
  loading.set(tool.file, started)
  try {
    return await started
  } finally {
    loading.delete(tool.file)
  }
}

async function load(tool) {
  const { file } = tool
  if (seal && !sealing) {
    sealing = await import('./seal.mjs')
    sealing.sealCommonJs(seal)
    register('./seal.mjs', import.meta.url, { data: { seal } })
  }
  if (tool.skill && !resolvesPackage) {
    resolvesPackage = true
    register('./skill-hooks.mjs', import.meta.url, { data: { entry: tool.package } })
    if (tool.package.endsWith('.ts')) readTypeScript()
  }
  for (const path of file.startsWith('data:') ? [] : filesOf(file)) {
    watched.set(path, signature(path))
    if (path.endsWith('.ts')) readTypeScript()
  }
  const module = await import(file.startsWith('data:') ? file : pathToFileURL(file).href).catch((error) => {
    throw tool.skill && sealing?.brokenSeal(error) === undefined ? loadError('LOAD_FAILED', messageOf(error)) : error
  })
  const entry = tool.skill ? skillOf(tool, module) : entryOf(module)
  if (!entry) throw new TypeError(`${file} exports no function: neither a default export nor execute nor main`)
  tools.set(file, entry)
  return entry
}

function readTypeScript() {
  if (readsTypeScript) return
  readsTypeScript = true
  register('./typescript-hooks.mjs', import.meta.url, { data: { seal } })
}

/** The default export of a skill; a class is a function that cannot be called, and only its text tells. */
function skillOf(tool, module) {
  const fn = module.default
  if (typeof fn !== 'function' || /^class\b/.test(Function.prototype.toString.call(fn))) throw loadError('EXPORT_INVALID', '')
  return { fn, module }
}

/** The host words these itself. */
function loadError(type, message) {
  return Object.assign(new Error(message), { name: type })
}

function messageOf(error) {
  return error instanceof Error ? error.message : String(error)
}

/** Default export, else `execute`, else `main`; CommonJS exports are the default export of the namespace. */
function entryOf(module) {
  const cjs = module.default
  const candidates = [cjs, cjs?.default, module.execute, cjs?.execute, module.main, cjs?.main]
  return candidates.find((candidate) => typeof candidate === 'function')
}

const specifier = /(?:from|import|require)\s*\(?\s*(['"])(\.{1,2}\/[^'"\n]+)\1/g

/** The file and those it imports by relative path, transitively, as far as the text tells. */
function filesOf(file, found = new Set()) {
  if (found.has(file)) return found
  let text
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    return found
  }
  found.add(file)
  for (const match of text.matchAll(specifier)) {
    const base = resolve(dirname(file), match[2])
    for (const path of [base, base.replace(/\.js$/, '.ts'), `${base}.ts`, `${base}.js`, `${base}.cjs`, `${base}/index.js`, `${base}/index.ts`]) {
      if (signature(path) !== 0) filesOf(path, found)
    }
  }
  return found
}

/** Size and time of a file as one number; 0 when there is no such file. */
function signature(path) {
  try {
    const stat = statSync(path, { throwIfNoEntry: false })
    return stat?.isFile() ? stat.mtimeMs * 1e3 + stat.ctimeMs + stat.size : 0
  } catch {
    return 0
  }
}

function isStale() {
  for (const [path, known] of watched) if (signature(path) !== known) return true
  return false
}

/** The next call finds the process as the first one did. */
function restore() {
  process.argv = startArgv
  process.exitCode = undefined
  if (process.cwd() !== home) process.chdir(home)
  for (const name of Object.keys(process.env)) {
    if (!Object.hasOwn(startEnv, name)) delete process.env[name]
    else if (process.env[name] !== startEnv[name]) process.env[name] = startEnv[name]
  }
  for (const name of Object.keys(startEnv)) if (process.env[name] === undefined) process.env[name] = startEnv[name]
}

say(`{"t":"ready","calls":${maxCalls}}`)
