// Keeps a Node process warm: imports a tool's file once, then calls its function for each message. Messages are
// lines of JSON on descriptor 3; standard output and error belong to the tool, the host logs what comes out there.
import { ChildProcess } from 'node:child_process'
import { readFileSync, statSync, writeSync } from 'node:fs'
import { register } from 'node:module'
import { Socket } from 'node:net'
import { dirname, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pathToFileURL } from 'node:url'

const channel = new Socket({ fd: 3, readable: true, writable: true })
const home = process.cwd()
const startEnv = { ...process.env }
const startArgv = process.argv
/** Files of loaded tools with their size and time; a change makes the host replace this process. */
const watched = new Map()
const tools = new Map()
let readsTypeScript = false
/** What the tool's files must be, and the part that holds them to it; null for tools nobody vouches for. */
let seal = null
let sealing = null
let hasSpawned = false
/** Waits for the host's answer to a call of another tool. */
let asked = []
/** Standard input of the call, made when the tool asks for it. */
let stdin = null
let stdinValue = {}

// A call that started processes is followed by a fresh worker, so that none of them outlives it unseen.
const spawn = ChildProcess.prototype.spawn
ChildProcess.prototype.spawn = function (...args) {
  hasSpawned = true
  return spawn.apply(this, args)
}

Object.defineProperty(process, 'stdin', {
  configurable: true,
  get: () => (stdin ??= Readable.from([JSON.stringify(stdinValue)])),
})

globalThis.toolcrib = Object.freeze({
  /** Calls another tool of the crib; needs the capability `rye.execute`. */
  execute: (ref, params = {}) => ask({ call: String(ref), params }),
  /** Starts another tool and does not wait for it; needs `rye.execute.spawn.thread` too. */
  spawn: (ref, params = {}) => ask({ call: String(ref), params, detached: true }),
  progress(done, total, message = '') {
    process.stdout.write(`::progress ${done}${total === undefined ? '' : `/${total}`} ${message}\n`)
  },
})

function ask(question) {
  return new Promise((done, failed) => {
    asked.push((outcome) => {
      if (outcome.ok) return done(outcome.value)
      failed(Object.assign(new Error(outcome.error?.message ?? 'the tool failed'), { code: outcome.error?.code, outcome }))
    })
    channel.write(`${JSON.stringify(question)}\n`)
  })
}

let pending = []
channel.on('data', (chunk) => {
  let rest = chunk
  for (let end = rest.indexOf(10); end !== -1; end = rest.indexOf(10)) {
    pending.push(rest.subarray(0, end))
    const line = pending.length === 1 ? pending[0].toString('utf8') : Buffer.concat(pending).toString('utf8')
    pending = []
    rest = rest.subarray(end + 1)
    take(JSON.parse(line))
  }
  if (rest.length > 0) pending.push(rest)
})
channel.on('end', () => process.exit(0))
channel.on('error', () => process.exit(1))

/** Tools by number: each is described once and named by its number from then on. */
const knownTools = new Map()

function take(message) {
  if (message.id === undefined) return asked.shift()?.(message)
  if (message.tool) {
    knownTools.set(message.id, message.tool)
    seal = message.seal ?? null
  }
  answer(knownTools.get(message.id), message)
}

async function answer(tool, message) {
  const { params } = message
  hasSpawned = false
  let reply
  try {
    if (isStale()) return say('{"stale":true}\n')
    stdin = null
    stdinValue = params
    process.argv = [process.execPath, tool.file, ...(message.argv ?? [])]
    if (message.cwd) process.chdir(message.cwd)
    if (message.env) Object.assign(process.env, message.env)
    const entry = tools.get(tool.file) ?? (await load(tool.file))
    const value = await entry(params, tool.project)
    reply = replyOf(value, tool.max)
  } catch (error) {
    const broken = sealing?.brokenSeal(error)
    reply = broken === undefined ? failure(error) : JSON.stringify({ sealed: broken })
  }
  asked = []
  if (hasSpawned) reply = `{"retire":true,${reply.slice(1)}`
  // The next message is not taken before this is done, so the host need not wait for it.
  say(`${reply}\n`)
  restore()
}

/** Writes at once: the way through the stream takes longer than a small message is worth. */
function say(text) {
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

function replyOf(value, max) {
  if (value === undefined) return '{"none":true}'
  const text = textOf(value)
  if (text === undefined) return JSON.stringify({ value: String(value) })
  return text.length > max ? `{"size":${text.length}}` : `{"value":${text}}`
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

function failure(error) {
  const isError = error instanceof Error
  let message
  try {
    message = isError ? error.message : typeof error === 'string' ? error : (JSON.stringify(error) ?? String(error))
  } catch {
    message = 'an error that cannot be shown'
  }
  return JSON.stringify({
    error: {
      type: isError ? (error.name ?? 'Error') : typeof error,
      message: String(message).slice(0, 8000),
      trace: isError ? String(error.stack ?? '').slice(0, 16000) : '',
    },
  })
}

async function load(file) {
  if (seal && !sealing) {
    sealing = await import('./seal.mjs')
    sealing.sealCommonJs(seal)
    register('./seal.mjs', import.meta.url, { data: { seal } })
  }
  for (const path of filesOf(file)) {
    watched.set(path, signature(path))
    if (path.endsWith('.ts') && !readsTypeScript) {
      readsTypeScript = true
      register('./typescript-hooks.mjs', import.meta.url, { data: { seal } })
    }
  }
  const module = await import(pathToFileURL(file).href)
  const entry = entryOf(module)
  if (!entry) throw new TypeError(`${file} exports no function: neither a default export nor execute nor main`)
  tools.set(file, entry)
  return entry
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
