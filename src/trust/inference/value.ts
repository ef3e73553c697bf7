// What reading tells of the value that an expression has when it runs.
import { notYetKnown } from '../../formats/inline-code.ts'
import type { Finding } from '../../tool/finding.ts'
import type { FunctionBody } from './expression.ts'

export type Certainty = Finding['certainty']

/** How a text came to be, where that matters when it is run as code. */
export type Origin = 'decoded' | 'downloaded'

/** Stands in a text for a part that is not known. */
export const hole = notYetKnown

export interface TextValue {
  readonly kind: 'text'
  /** With holes. */
  readonly text: string
  readonly certainty: Certainty
  readonly origin?: Origin
  /** Of something given to a function: how the code names it, `context.api.callTool`. */
  readonly path?: string
}

export type Value =
  | TextValue
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'list'; readonly items: readonly Value[] }
  | { readonly kind: 'object'; readonly entries: ReadonlyMap<string, Value> }
  /** A module or function of the language, by its full name; `of` is what a method was taken from. */
  | { readonly kind: 'api'; readonly name: string; readonly of?: Value }
  /** A method of a text or list. */
  | { readonly kind: 'method'; readonly name: string; readonly of: Value }
  | { readonly kind: 'function'; readonly body: FunctionBody; readonly scope: Scope }
  | { readonly kind: 'any'; readonly of: readonly Value[] }

/** Name of an API whose value is a file that stands in memory only. */
export const inMemory = 'a file in memory'

export const unknown: TextValue = { kind: 'text', text: hole, certainty: 'unknown' }
export const given: TextValue = { kind: 'text', text: hole, certainty: 'bounded' }

/** The names of a function and of what is around it. */
export class Scope {
  readonly #names = new Map<string, Value>()
  readonly outer: Scope | undefined

  constructor(outer?: Scope) {
    this.outer = outer
  }

  find(name: string): Value | undefined {
    for (let scope: Scope | undefined = this; scope; scope = scope.outer) {
      const value = scope.#names.get(name)
      if (value) return value
    }
    return undefined
  }

  bind(name: string, value: Value): void {
    this.#names.set(name, value)
  }

  /** Changes a name where it was bound; else binds it here. */
  assign(name: string, value: Value): void {
    for (let scope: Scope | undefined = this; scope; scope = scope.outer)
      if (scope.#names.has(name)) return void scope.#names.set(name, value)
    this.bind(name, value)
  }

  get root(): Scope {
    return this.outer ? this.outer.root : this
  }
}

const maxText = 100_000

export function exact(text: string, origin?: Origin): TextValue {
  return { kind: 'text', text: text.length > maxText ? hole : text, certainty: 'exact', origin }
}

export function isExact(value: Value | undefined): value is TextValue {
  return value?.kind === 'text' && value.certainty === 'exact'
}

/** The position in a list that a key names. */
export function indexOf(key: Value): number | undefined {
  if (key.kind === 'number') return key.value
  return isExact(key) && /^\d+$/.test(key.text) ? Number(key.text) : undefined
}

/** The text of a value as far as it is known. */
export function textOf(value: Value | undefined): TextValue {
  if (value?.kind === 'text') return value
  if (value?.kind === 'number') return exact(String(value.value))
  if (value?.kind === 'any') return value.of.map(textOf).find(({ text }) => text !== hole) ?? madeOf(value.of)
  return value === undefined ? unknown : madeOf([value])
}

export function originOf(value: Value): Origin | undefined {
  if (value.kind === 'text') return value.origin
  if (value.kind === 'method' || (value.kind === 'api' && value.of)) return originOf(value.of!)
  if (value.kind === 'any') return originAmong(value.of)
  if (value.kind !== 'list') return undefined
  let origin = ofLists.get(value.items)
  if (origin === undefined) {
    origin = originAmong(value.items) ?? null
    ofLists.set(value.items, origin)
  }
  return origin ?? undefined
}

/** A long list may be asked for every one of its items. */
const ofLists = new WeakMap<readonly Value[], Origin | null>()

function originAmong(parts: readonly Value[]): Origin | undefined {
  for (const part of parts) if (part.kind === 'text' && part.origin) return part.origin
  return undefined
}

/** Not known, but made of something: what it was decoded or downloaded from stays with it. */
export function madeOf(values: readonly Value[]): TextValue {
  let isGiven = false
  for (const value of values) {
    const origin = originOf(value)
    if (origin) return { ...unknown, origin }
    isGiven ||= isBounded(value)
  }
  return isGiven ? given : unknown
}

function isBounded(value: Value): boolean {
  if (value.kind === 'method') return isBounded(value.of)
  return value.kind === 'text' && value.certainty === 'bounded'
}

/** Texts put together. */
export function joined(values: readonly TextValue[]): TextValue {
  let text = ''
  let origin: Origin | undefined
  let firstGap: TextValue | undefined
  for (const value of values) {
    if (value.certainty !== 'exact' && text === '' && !value.text.startsWith(hole)) firstGap ??= given
    else if (value.certainty !== 'exact') firstGap ??= text === '' ? value : given
    text += value.text
    origin ??= value.origin
  }
  if (text.length > maxText) return origin ? { ...unknown, origin } : unknown
  return { kind: 'text', text, certainty: firstGap?.certainty ?? 'exact', origin }
}

/** Every value that this may be. */
export function eachOf(value: Value): readonly Value[] {
  return value.kind === 'any' ? value.of : [value]
}

/** Values that one may have, as far as they are told apart. */
export const maxChoices = 12

/** One of these values. */
export function anyOf(values: readonly Value[]): Value {
  if (values.length === 1) return values[0]!
  const all = values.flatMap(eachOf)
  if (all.length === 0) return unknown
  const known = all.filter((value) => value.kind !== 'text' || value.text !== hole || value.origin)
  if (known.length === 0) return madeOf(all)
  const rest = known.length < all.length ? [madeOf(all)] : []
  return { kind: 'any', of: [...known.slice(0, maxChoices), ...rest] }
}
