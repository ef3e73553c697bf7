// Node's module hooks, kept tiny: addresses that carry our mark get their text from here, relative
// imports inherit the mark, `toolcrib/skill` resolves from anywhere. Everything else is Node's business.
import { existsSync } from 'node:fs'
import nodeModule from 'node:module'
import { fileURLToPath } from 'node:url'
import { MessageChannel } from 'node:worker_threads'
import { messageOf } from '../../tool/tool-error.ts'

/** The address of a module in one import of a skill. */
export function mark(url: string, generation: number): string {
  return `${url}?toolcrib=${generation}`
}

export function generationOf(url: string): number | undefined {
  const match = /[?&]toolcrib=(\d+)/.exec(url)
  return match ? Number(match[1]) : undefined
}

type SourceOf = (url: string) => string

interface Found {
  readonly url: string
  readonly format?: string
  readonly shortCircuit?: boolean
}

interface SyncHooks {
  resolve(
    specifier: string,
    context: { readonly parentURL?: string },
    next: (specifier: string, context: object) => Found,
  ): Found
  load(url: string, context: object, next: (url: string, context: object) => unknown): unknown
}

const { registerHooks } = nodeModule as { readonly registerHooks?: (hooks: SyncHooks) => void }

let isServing = false

/** Starts answering for marked addresses; once per process. */
export function serveModules(sourceOf: SourceOf): void {
  if (isServing) return
  isServing = true
  // Hooks in a thread of their own ask this one, which since Node 24 waits for them: both would wait for ever.
  if (registerHooks) return registerHooks(syncHooks(sourceOf, packageEntry()))
  const { port1, port2 } = new MessageChannel()
  port1.on('message', ({ id, url }: { id: number; url: string }) => {
    try {
      port1.postMessage({ id, source: sourceOf(url) })
    } catch (error) {
      port1.postMessage({ id, error: messageOf(error) })
    }
  })
  port1.unref()
  nodeModule.register(`data:text/javascript,${encodeURIComponent(threadHooks)}`, {
    data: { port: port2, entry: packageEntry() },
    transferList: [port2],
  })
}

function syncHooks(sourceOf: SourceOf, entry: string): SyncHooks {
  return {
    resolve: (specifier, context, next) => {
      const found = resolveMarked(specifier, context, entry)
      return typeof found === 'object' ? found : next(found, context)
    },
    load: (url, context, next) =>
      generationOf(url) === undefined
        ? next(url, context)
        : { format: 'module', source: sourceOf(url), shortCircuit: true },
  }
}

/** Where a module of a skill leads, or the name under which Node is to look for it. It also runs in a thread, as text. */
function resolveMarked(
  specifier: string,
  context: { readonly parentURL?: string },
  entry: string,
): Found | string {
  const generation = /[?&]toolcrib=(\d+)/.exec(context.parentURL ?? '')?.[1]
  if (generation === undefined) return specifier
  const isCode = (path: string) => /\.(js|mjs|ts)$/.test(path)
  const own = (url: string): Found =>
    isCode(url)
      ? { url: `${url}?toolcrib=${generation}`, format: 'module', shortCircuit: true }
      : { url, shortCircuit: true }
  if (specifier === 'toolcrib/skill') return entry.endsWith('.ts') ? own(entry) : entry
  if (!/^(\.{0,2}\/|file:)/.test(specifier)) return specifier
  const url = new URL(specifier, context.parentURL)
  return !url.search && isCode(url.pathname) ? own(url.href) : specifier
}

/** Where `toolcrib/skill` is: beside the built bundle, or the source when that is what runs. */
export function packageEntry(): string {
  const places = ['./skill.js', '../skill.js', '../../skill.js', '../../skill.ts']
  const urls = places.map((place) => new URL(place, import.meta.url).href)
  return urls.find((url) => existsSync(fileURLToPath(url))) ?? urls[0]!
}

const threadHooks = `
let port, entry, count = 0
const waiting = new Map()
const resolveMarked = ${resolveMarked}
export function initialize(data) {
  port = data.port
  entry = data.entry
  port.on('message', (answer) => {
    waiting.get(answer.id)?.(answer)
    waiting.delete(answer.id)
    if (waiting.size === 0) port.unref()
  })
  port.unref()
}
export async function resolve(specifier, context, next) {
  const found = resolveMarked(specifier, context, entry)
  return typeof found === 'object' ? found : next(found, context)
}
export async function load(url, context, next) {
  if (!/[?&]toolcrib=/.test(url)) return next(url, context)
  const id = ++count
  const answer = await new Promise((resolve) => {
    waiting.set(id, resolve)
    port.ref()
    port.postMessage({ id, url })
  })
  if (answer.error !== undefined) throw new Error(answer.error)
  return { format: 'module', source: answer.source, shortCircuit: true }
}
`
