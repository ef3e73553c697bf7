// What was found in one text so far: hosts, paths, programs and names are written here as findings say them.
import { isBaseVariable } from '../../tool/base-variables.ts'
import type { CapabilityName } from '../../tool/capabilities.ts'
import type { Finding } from '../../tool/finding.ts'
import { LineIndex } from '../../tool/line-index.ts'
import { persistenceOf } from './persistence.ts'
import { type Certainty, eachOf, hole, inMemory, type TextValue, textOf, type Value } from './value.ts'

const maxFindings = 500
const noFile = /^:memory:$|^\/dev\/(?:null|zero|u?random|stdin|stdout|stderr|tty|fd\/\d*)$|^-?$/

export class Findings {
  readonly #text: string
  readonly #file: string | undefined
  readonly #found = new Map<string, Omit<Finding, 'line' | 'column'> & { readonly at: number }>()
  readonly #pinned: number[] = []
  /** Hosts without a port that are reached unencrypted, with their places. */
  readonly #plain = new Set<string>()

  constructor(text: string, file?: string) {
    this.#text = text
    this.#file = file
  }

  /** Everything found, in the order of the text. */
  get all(): Finding[] {
    const lines = new LineIndex(this.#text)
    return [...this.#found.values()]
      .sort((a, b) => a.at - b.at)
      .map(({ at, ...finding }) => ({
        ...finding,
        ...(this.#plain.has(`${finding.detail}\n${at}`) && { port: 80 }),
        file: this.#file,
        ...lines.at(at),
      }))
  }

  has(capability: CapabilityName): boolean {
    for (const found of this.#found.values()) if (found.capability === capability) return true
    return false
  }

  /** While `work` runs, everything is found at this place: code inside a text of the code. */
  within(at: number, work: () => void): void {
    this.#pinned.push(at)
    work()
    this.#pinned.pop()
  }

  add(capability: CapabilityName, at: number, detail: string | undefined, certainty: Certainty): void {
    const place = this.#pinned[0] ?? at
    const key = `${capability}\n${detail ?? ''}\n${place}`
    const known = this.#found.get(key)
    if (known && (known.certainty === 'exact' || certainty === 'unknown')) return
    if (this.#found.size < maxFindings) this.#found.set(key, { capability, detail, certainty, at: place })
  }

  path(capability: 'fs.read' | 'fs.write', value: Value | undefined, at: number): void {
    for (const one of value ? eachOf(value) : []) {
      if (one.kind === 'number' || (one.kind === 'api' && one.name === inMemory)) continue
      const known = textOf(one.kind === 'list' ? one.items[0] : one)
      const { text, certainty } = known
      if (/^(?:https?|ftp):\/\//i.test(text)) {
        this.address(known, at)
        continue
      }
      const path = tidyPath(text)
      if (noFile.test(path)) continue
      const inside = /^\/dev\/(?:tcp|udp)\/([^/]+)/.exec(path)?.[1]
      if (inside !== undefined) {
        this.add('net.call', at, shown(inside), certainty)
        continue
      }
      this.add(capability, at, shown(path), certainty)
      if (capability === 'fs.write' && persistenceOf(path))
        this.add('host.persist', at, shown(path), certainty)
    }
    if (!value) this.add(capability, at, undefined, 'unknown')
  }

  /** An address: `https://host/path`, or of a file. */
  address(value: Value | undefined, at: number): void {
    for (const one of value ? eachOf(value) : []) {
      const known = textOf(one)
      const { text } = known
      const [, scheme, host, isWhole] =
        /^([a-z][a-z0-9+.-]*):\/\/(?:[^/?#@]*@)?([^/?#]*)([/?#]?)/i.exec(text) ?? []
      if (scheme?.toLowerCase() === 'file')
        this.path('fs.read', { ...known, text: text.replace(/^file:\/\//i, '') }, at)
      else if (/^(?:data|blob|javascript):/i.test(text)) continue
      else if (host !== undefined) {
        const capability = /^(?:https?|wss?)$/i.test(scheme!) ? 'net.http' : 'net.call'
        const isTold = host !== '' && !host.includes(hole) && (isWhole !== '' || known.certainty === 'exact')
        const detail = shown(host.toLowerCase())
        this.add(capability, at, detail, isTold ? 'exact' : known.certainty)
        if (/^(?:http|ws)$/i.test(scheme!) && !/:\d+$/.test(host))
          this.#plain.add(`${detail}\n${this.#pinned[0] ?? at}`)
      } else this.add('net.http', at, undefined, known.certainty === 'exact' ? 'unknown' : known.certainty)
    }
    if (!value) this.add('net.http', at, undefined, 'unknown')
  }

  host(value: Value | undefined, at: number, port?: Value): void {
    for (const one of value ? eachOf(value) : []) {
      const known = textOf(one)
      const number = port?.kind === 'number' && !known.text.includes(hole) ? `:${port.value}` : ''
      this.add('net.call', at, shown(known.text === hole ? hole : `${known.text}${number}`), known.certainty)
    }
    if (!value) this.add('net.call', at, undefined, 'unknown')
  }

  program(value: TextValue, at: number): void {
    const name = value.text.replace(/^.*\//, '')
    this.add('shell.execute', at, shown(name), value.certainty)
    if (value.text.startsWith(hole)) this.add('code.dynamic', at, 'computed', value.certainty)
  }

  /** A variable of the environment; without a name all of them. */
  variable(value: Value | undefined, at: number): void {
    for (const one of value ? eachOf(value) : []) {
      const { text, certainty } = textOf(one)
      if (!isBaseVariable(text)) this.add('env.read', at, shown(text), certainty)
    }
    if (!value) this.add('env.read', at, '*', 'exact')
  }
}

/** As a finding shows it; undefined when nothing is known of it. */
function shown(text: string): string | undefined {
  const clean = text
    .split(hole)
    .join('*')
    .replace(/\*+/g, '*')
    .replace(/[\u0000-\u001f\u007f]+/g, ' ')
  return /^[*/]*$/.test(clean) && clean !== '/' ? undefined : clean.slice(0, 200)
}

function tidyPath(text: string): string {
  return text
    .replace(/(?<!^)\/{2,}/g, '/')
    .replace(/\/\.(?=\/)/g, '')
    .replace(/^\.\/(?=.)/, '')
    .replace(/^(?:\/home\/[^/]+|\/root|\/Users\/[^/]+)(?=\/|$)/, '~')
}
