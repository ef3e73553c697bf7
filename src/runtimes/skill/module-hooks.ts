// Node's module hooks, kept tiny: addresses that carry our mark get their text from this thread, relative
// imports inherit the mark, `toolcrib/skill` resolves from anywhere. Everything else is Node's business.
import { existsSync } from 'node:fs'
import { register } from 'node:module'
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

let isServing = false

/** Starts answering for marked addresses; once per process. */
export function serveModules(sourceOf: SourceOf): void {
  if (isServing) return
  isServing = true
  const { port1, port2 } = new MessageChannel()
  port1.on('message', ({ id, url }: { id: number; url: string }) => {
    try {
      port1.postMessage({ id, source: sourceOf(url) })
    } catch (error) {
      port1.postMessage({ id, error: messageOf(error) })
    }
  })
  port1.unref()
  register(`data:text/javascript,${encodeURIComponent(hooks)}`, {
    data: { port: port2, entry: packageEntry() },
    transferList: [port2],
  })
}

/** Where `toolcrib/skill` is: beside the built bundle, or the source when that is what runs. */
function packageEntry(): string {
  const places = ['./skill.js', '../skill.js', '../../skill.js', '../../skill.ts']
  const urls = places.map((place) => new URL(place, import.meta.url).href)
  return urls.find((url) => existsSync(fileURLToPath(url))) ?? urls[0]!
}

const hooks = String.raw`
let port, entry, count = 0
const waiting = new Map()
const marked = /[?&]toolcrib=(\d+)/
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
  const parent = context.parentURL && marked.exec(context.parentURL)
  if (!parent) return next(specifier, context)
  const own = (url) => ({
    url: /\.(js|mjs|ts)$/.test(url) ? url + '?toolcrib=' + parent[1] : url,
    ...(/\.(js|mjs|ts)$/.test(url) ? { format: 'module' } : {}),
    shortCircuit: true,
  })
  if (specifier === 'toolcrib/skill')
    return entry.endsWith('.ts') ? own(entry) : next(entry, context)
  const url = /^(\.{0,2}\/|file:)/.test(specifier) ? new URL(specifier, context.parentURL) : undefined
  if (url && !url.search && /\.(js|mjs|ts)$/.test(url.pathname)) return own(url.href)
  return next(specifier, context)
}
export async function load(url, context, next) {
  if (!marked.test(url)) return next(url, context)
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
