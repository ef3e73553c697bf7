// What one worker knows of the contexts of its calls: what changed on one side is told to the other, in order (G13).
import { isPlainObject, type Json } from '../../../tool/json.ts'
import type { Context } from '../context.ts'
import { type Carrier, type Packed, tooMuch } from './carrier.ts'

/** `[id of the context, part, key, value]`; null: the key is gone. */
export type Change = readonly [string, string, string, Packed | null]

export interface ContextText {
  readonly id: string
  readonly parent: string | null
  readonly args: Packed
  /** `run` crosses as one text, which most calls of a tool share: its number, and the text where it is new. */
  readonly run: number
  readonly runText?: string
  readonly changes: readonly Change[]
}

const carriedParts = ['locals', 'nonlocals'] as const
const changeable = ['run', ...carriedParts] as const
type PartName = (typeof changeable)[number]
/** Texts of `run` after which a worker is replaced. */
const manyRuns = 2_000

export class ToldContexts {
  readonly #carrier: Carrier
  /** A mark for each key of each context. */
  readonly #told = new Map<string, Map<string, string>>()
  readonly #runs = new Map<string, number>()
  #lastRun = 0

  constructor(carrier: Carrier) {
    this.#carrier = carrier
  }

  get isFull(): boolean {
    return this.#lastRun >= manyRuns
  }

  /** What `make` writes down for the worker; where it throws, nothing was sent. */
  sending<Text>(contexts: readonly Context[], make: () => Text): Text {
    try {
      return this.#carrier.sending(make)
    } catch (error) {
      for (const { envelope } of contexts) this.#told.delete(envelope.id)
      this.#runs.clear()
      throw error
    }
  }

  forget(): void {
    this.#told.clear()
  }

  /** A context as a call gets it. `isEntry`: its arguments belong to the catalog, so they are a copy. */
  textOf(context: Context, isEntry: boolean): ContextText {
    const { id, parent } = context.envelope
    const args = isEntry
      ? this.#carrier.packCopy(context.args, 'args')
      : this.#carrier.pack(context.args, 'args')
    const changes = this.changesOf(context)
    return { id, parent: parent?.envelope.id ?? null, args, ...this.#runOf(context), changes }
  }

  #runOf(context: Context): Pick<ContextText, 'run' | 'runText'> {
    const text = JSON.stringify(context.run)
    const known = this.#runs.get(text)
    if (known !== undefined) return { run: known }
    const run = this.#lastRun++
    this.#runs.set(text, run)
    return { run, runText: text }
  }

  /** A context of middleware that runs in the same hop: what its call inherits is taken from its target there. */
  followerText(context: Context): ContextText {
    const { id, parent } = context.envelope
    const args = this.#carrier.packCopy(context.args, 'args')
    const { config } = context.locals
    const changes: Change[] = [[id, 'locals', 'config', this.#carrier.packCopy(config, 'locals.config')]]
    return { id, parent: parent?.envelope.id ?? null, args, ...this.#runOf(context), changes }
  }

  /** What changed on this side since the worker was last told. */
  changesOf(context: Context): Change[] {
    const { id } = context.envelope
    const marks = this.#marksOf(id)
    const changes: Change[] = []
    this.#carrier.packed = 0
    for (const part of carriedParts) {
      const values = context[part]
      for (const key of Object.keys(values)) {
        if (part === 'locals' && key === 'history') continue
        const at = `${part}.${key}`
        const packed = this.#carrier.pack(values[key], at)
        if (this.#carrier.packed > this.#carrier.mostChars) throw tooMuch('keep in one context')
        const mark = markOf(packed)
        const isSame = marks.get(at) === mark
        marks.set(at, mark)
        // An object that both know and that changed comes with its text.
        if (!isSame || (packed.n !== undefined && (packed.v ?? packed.e) !== undefined))
          changes.push([id, part, key, packed])
      }
    }
    for (const at of marks.keys()) {
      const dot = at.indexOf('.')
      const [part, key] = [at.slice(0, dot) as (typeof carriedParts)[number], at.slice(dot + 1)]
      if (Object.hasOwn(context[part], key)) continue
      marks.delete(at)
      changes.push([id, part, key, null])
    }
    return changes
  }

  /** Takes over what a skill changed in these contexts; what it says of others is not heard. */
  apply(contexts: readonly Context[], list: unknown): void {
    if (!Array.isArray(list)) return
    for (const change of list) {
      const [id, part, key, packed] = Array.isArray(change) ? (change as Json[]) : []
      const context = contexts.find((one) => one.envelope.id === id)
      if (!context || typeof key !== 'string' || key === '__proto__') continue
      if (part === 'args') this.#carrier.unpack(packed, context.args)
      else if (isChangeable(part) && !(part === 'locals' && key === 'history'))
        this.#set(context, part, key, packed)
    }
  }

  #set(context: Context, part: PartName, key: string, packed: Json | undefined): void {
    const marks = this.#marksOf(context.envelope.id)
    if (packed === null) {
      Reflect.deleteProperty(context[part], key)
      marks.delete(`${part}.${key}`)
    } else if (isPlainObject(packed)) {
      const at = `${part}.${key}`
      this.#carrier.keep(key.length + markOf(packed).length - (marks.get(at)?.length ?? 0))
      Reflect.set(context[part], key, this.#carrier.unpack(packed))
      if (part !== 'run') marks.set(at, markOf(packed))
    }
  }

  #marksOf(id: string): Map<string, string> {
    let marks = this.#told.get(id)
    if (!marks) {
      marks = new Map()
      this.#told.set(id, marks)
    }
    return marks
  }
}

function isChangeable(part: Json | undefined): part is PartName {
  return changeable.includes(part as PartName)
}

function markOf({ n, v }: Packed): string {
  return n === undefined ? (v ?? '') : `#${n}`
}
