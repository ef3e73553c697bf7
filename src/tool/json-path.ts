// JSONPath for skills, hints, subscriptions and settings: names, indexes, slices, wildcards, descent and filters.
// Filters are parsed and compared here; nothing of a path is ever run as JavaScript. A path that cannot be read finds
// nothing. Own properties only.
import { Budget } from './budget.ts'
import { ownStep } from './path.ts'

interface Search {
  readonly root: unknown
  readonly budget: Budget
}

type Test = (item: unknown, search: Search) => boolean
type Selector = (value: unknown, search: Search) => unknown[]

interface Compiled {
  readonly selectors: readonly Selector[]
  /** True when the path can lead to several values. */
  readonly isMany: boolean
}

const maxSteps = 1_000_000
const maxCompiled = 1_000
const compiled = new Map<string, Compiled | null>()

/**
 * All values a JSONPath finds, in document order. One that takes too much finds nothing; with a `budget` that others
 * share, it throws BudgetError instead.
 */
export function queryJsonPath(root: unknown, path: string, budget?: Budget): unknown[] {
  if (budget) return find(root, path, budget)
  try {
    return find(root, path, new Budget({ steps: maxSteps }))
  } catch (error) {
    if (error instanceof RangeError) return []
    throw error
  }
}

/** True when a path can lead to several values. */
export function isManyPath(path: string): boolean {
  return compiledPath(path)?.isMany ?? false
}

function find(root: unknown, path: string, budget: Budget): unknown[] {
  budget.spend('steps', path.length)
  const known = compiledPath(path)
  return known ? follow(root, known.selectors, { root, budget }).filter((value) => value !== undefined) : []
}

function follow(from: unknown, selectors: readonly Selector[], search: Search): unknown[] {
  let found: unknown[] = [from]
  for (const select of selectors) {
    const next: unknown[] = []
    for (const value of found) {
      const items = select(value, search)
      search.budget.spend('steps', 1 + items.length)
      for (const item of items) next.push(item)
    }
    found = next
  }
  return found
}

function compiledPath(path: string): Compiled | null {
  let known = compiled.get(path)
  if (known === undefined) {
    known = compile(path)
    if (compiled.size >= maxCompiled) compiled.clear()
    compiled.set(path, known)
  }
  return known
}

function compile(path: string): Compiled | null {
  const reader = new Reader(path.trim())
  reader.take('$')
  try {
    const selectors = reader.segments(false)
    return reader.atEnd ? { selectors, isMany: reader.isMany } : null
  } catch {
    return null
  }
}

function children(value: unknown): unknown[] {
  const found: unknown[] = []
  if (typeof value !== 'object' || value === null) return found
  for (const key of Object.keys(value)) {
    const item = ownStep(value, key)
    if (item !== undefined) found.push(item)
  }
  return found
}

function descendants(value: unknown, { budget }: Search): unknown[] {
  const all: unknown[] = []
  const seen = new Set<unknown>()
  const visit = (item: unknown) => {
    // Each is remembered, against circles, which costs more than a look.
    budget.spend('steps', 8)
    if (typeof item !== 'object' || item === null) {
      all.push(item)
      return
    }
    if (seen.has(item)) return
    seen.add(item)
    all.push(item)
    for (const child of children(item)) visit(child)
  }
  visit(value)
  return all
}

/** A member, or an element by its index; a negative one counts from the end. */
function stepInto(value: unknown, name: string): unknown {
  return Array.isArray(value) && /^-\d+$/.test(name) ? value.at(Number(name)) : ownStep(value, name)
}

class Reader {
  readonly #text: string
  #at = 0
  isMany = false

  constructor(text: string) {
    this.#text = text
  }

  get atEnd(): boolean {
    return this.#at >= this.#text.length
  }

  take(token: string): boolean {
    this.#space()
    if (!this.#text.startsWith(token, this.#at)) return false
    this.#at += token.length
    return true
  }

  segments(isInFilter: boolean): Selector[] {
    const selectors: Selector[] = []
    let first = true
    for (;;) {
      if (this.take('..')) {
        this.isMany = true
        selectors.push(descendants, this.#text[this.#at] === '[' ? this.#bracket() : this.#dot(isInFilter))
      } else if (this.take('.')) selectors.push(this.#dot(isInFilter))
      else if (this.#text[this.#at] === '[') selectors.push(this.#bracket())
      else if (first && !isInFilter && !this.atEnd) selectors.push(this.#dot(false))
      else return selectors
      first = false
    }
  }

  #space(): void {
    while (this.#text[this.#at] === ' ') this.#at++
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at
    const match = pattern.exec(this.#text)
    if (match) this.#at += match[0].length
    return match
  }

  #expect(token: string): void {
    if (!this.take(token)) throw new SyntaxError(`expected ${token} at ${this.#at}`)
  }

  /** In a filter a name ends where an operator may begin. */
  #dot(isInFilter: boolean): Selector {
    if (this.take('*')) return this.#all()
    const name = this.#match(isInFilter ? /[^\s.[\]()?@&|=<>!,'"]+/y : /[^.[\]*]+/y)
    if (!name) throw new SyntaxError(`expected a name at ${this.#at}`)
    return (value) => [stepInto(value, name[0])]
  }

  #all(): Selector {
    this.isMany = true
    return children
  }

  #bracket(): Selector {
    this.#expect('[')
    const choices: Selector[] = []
    do choices.push(this.#choice())
    while (this.take(','))
    this.#expect(']')
    if (choices.length > 1) this.isMany = true
    return (value, search) => choices.flatMap((choice) => choice(value, search))
  }

  #choice(): Selector {
    if (this.take('*')) return this.#all()
    if (this.take('?')) {
      const bracketed = this.take('(')
      const test = this.#or()
      if (bracketed) this.#expect(')')
      this.isMany = true
      return (value, search) =>
        children(value).filter((item) => {
          search.budget.spend('steps')
          return test(item, search)
        })
    }
    this.#space()
    const text = this.#string()
    if (text !== null) return (value) => [ownStep(value, text)]
    const slice = this.#match(/(-?\d+)?\s*:\s*(-?\d+)?(?:\s*:\s*(-?\d+)?)?/y)
    if (slice) {
      this.isMany = true
      return sliceSelector(slice)
    }
    const index = this.#match(/-?\d+/y)
    if (!index) throw new SyntaxError(`expected an index, a name or a filter at ${this.#at}`)
    return (value) => [stepInto(value, index[0])]
  }

  #string(): string | null {
    const match = this.#match(/'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"/y)
    return match ? (match[1] ?? match[2] ?? '').replace(/\\(.)/g, '$1') : null
  }

  #or(): Test {
    const tests = [this.#and()]
    while (this.take('||')) tests.push(this.#and())
    return (item, search) => tests.some((test) => test(item, search))
  }

  #and(): Test {
    const tests = [this.#not()]
    while (this.take('&&')) tests.push(this.#not())
    return (item, search) => tests.every((test) => test(item, search))
  }

  #not(): Test {
    if (this.#text.startsWith('!', this.#at) && this.#text[this.#at + 1] !== '=' && this.take('!')) {
      const test = this.#not()
      return (item, search) => !test(item, search)
    }
    if (this.take('(')) {
      const test = this.#or()
      this.#expect(')')
      return test
    }
    return this.#comparison()
  }

  #comparison(): Test {
    const left = this.#operand()
    this.#space()
    const operator = this.#match(/===|!==|==|!=|<=|>=|<|>/y)?.[0]
    if (!operator) return (item, search) => left(item, search) !== undefined
    const right = this.#operand()
    return (item, search) => compare(left(item, search), operator, right(item, search))
  }

  #operand(): (item: unknown, search: Search) => unknown {
    this.#space()
    const start = this.#text[this.#at]
    if (start === '@' || start === '$') {
      this.#at++
      const selectors = this.segments(true)
      return (item, search) =>
        follow(start === '@' ? item : search.root, selectors, search).find((value) => value !== undefined)
    }
    const text = this.#string()
    if (text !== null) return () => text
    const number = this.#match(/-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y)
    if (number) return () => Number(number[0])
    const word = this.#match(/true|false|null/y)?.[0]
    if (word) return () => (word === 'null' ? null : word === 'true')
    throw new SyntaxError(`expected a value at ${this.#at}`)
  }
}

function compare(left: unknown, operator: string, right: unknown): boolean {
  if (operator.startsWith('=')) return left === right
  if (operator.startsWith('!')) return left !== right
  const comparable =
    (typeof left === 'number' && typeof right === 'number') ||
    (typeof left === 'string' && typeof right === 'string')
  if (!comparable) return false
  if (operator === '<') return left < right
  if (operator === '<=') return left <= right
  return operator === '>' ? left > right : left >= right
}

function sliceSelector(match: RegExpExecArray): Selector {
  const step = match[3] === undefined ? 1 : Number(match[3])
  const given = [match[1], match[2]].map((text) => (text === undefined ? undefined : Number(text)))
  return (value) => {
    if (!Array.isArray(value) || step === 0) return []
    const length = value.length
    const bound = (number: number | undefined, otherwise: number) =>
      number === undefined ? otherwise : number < 0 ? number + length : number
    const picked: unknown[] = []
    if (step > 0) {
      const end = Math.min(bound(given[1], length), length)
      for (let i = Math.max(bound(given[0], 0), 0); i < end; i += step) picked.push(value[i])
    } else {
      const end = Math.max(bound(given[1], -1), -1)
      for (let i = Math.min(bound(given[0], length - 1), length - 1); i > end; i += step)
        picked.push(value[i])
    }
    return picked
  }
}
