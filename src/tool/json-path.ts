// JSONPath for skills: names, indexes, slices, wildcards, descent and filters. Filters are parsed and compared
// here; nothing of a path is ever run as JavaScript. A path that cannot be read finds nothing.
import { ownStep } from './path.ts'

type Test = (item: unknown, root: unknown) => boolean
type Selector = (value: unknown, root: unknown) => unknown[]

const maxVisited = 100_000
const compiled = new Map<string, readonly Selector[] | null>()

/** All values a JSONPath finds, in document order. */
export function queryJsonPath(root: unknown, path: string): unknown[] {
  let selectors = compiled.get(path)
  if (selectors === undefined) {
    selectors = compile(path)
    if (compiled.size >= 1_000) compiled.clear()
    compiled.set(path, selectors)
  }
  if (!selectors) return []
  let found: unknown[] = [root]
  for (const select of selectors) {
    const next: unknown[] = []
    for (const value of found) for (const item of select(value, root)) next.push(item)
    if (next.length > maxVisited) return []
    found = next
  }
  return found.filter((value) => value !== undefined)
}

function compile(path: string): Selector[] | null {
  const reader = new Reader(path.trim())
  reader.take('$')
  try {
    const selectors = reader.segments()
    return reader.atEnd ? selectors : null
  } catch {
    return null
  }
}

function children(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.keys(value)
    .map((key) => ownStep(value, key))
    .filter((item) => item !== undefined)
}

function descendants(value: unknown): unknown[] {
  const all: unknown[] = []
  const seen = new Set<unknown>()
  const visit = (item: unknown) => {
    if (typeof item === 'object' && item !== null) {
      if (seen.has(item) || seen.size >= maxVisited) return
      seen.add(item)
    }
    all.push(item)
    for (const child of children(item)) visit(child)
  }
  visit(value)
  return all
}

class Reader {
  readonly #text: string
  #at = 0

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

  segments(): Selector[] {
    const selectors: Selector[] = []
    let first = true
    for (;;) {
      if (this.take('..'))
        selectors.push(descendants, this.#text[this.#at] === '[' ? this.#bracket() : this.#dot())
      else if (this.take('.')) selectors.push(this.#dot())
      else if (this.#text[this.#at] === '[') selectors.push(this.#bracket())
      else if (first && /[A-Za-z0-9_*-]/.test(this.#text[this.#at] ?? '')) selectors.push(this.#dot())
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

  #dot(): Selector {
    if (this.take('*')) return children
    const name = this.#match(/[^\s.[\]()?@&|=<>!,'"]+/y)
    if (!name) throw new SyntaxError(`expected a name at ${this.#at}`)
    return (value) => [ownStep(value, name[0])]
  }

  #bracket(): Selector {
    this.#expect('[')
    const choices: Selector[] = []
    do choices.push(this.#choice())
    while (this.take(','))
    this.#expect(']')
    return (value, root) => choices.flatMap((choice) => choice(value, root))
  }

  #choice(): Selector {
    if (this.take('*')) return children
    if (this.take('?')) {
      const bracketed = this.take('(')
      const test = this.#or()
      if (bracketed) this.#expect(')')
      return (value, root) => children(value).filter((item) => test(item, root))
    }
    this.#space()
    const text = this.#string()
    if (text !== null) return (value) => [ownStep(value, text)]
    const slice = this.#match(/(-?\d+)?\s*:\s*(-?\d+)?(?:\s*:\s*(-?\d+)?)?/y)
    if (slice) return sliceSelector(slice)
    const index = this.#match(/-?\d+/y)
    if (!index) throw new SyntaxError(`expected an index, a name or a filter at ${this.#at}`)
    const wanted = Number(index[0])
    return (value) =>
      Array.isArray(value) ? [value.at(wanted)] : wanted >= 0 ? [ownStep(value, index[0])] : []
  }

  #string(): string | null {
    const match = this.#match(/'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"/y)
    return match ? (match[1] ?? match[2] ?? '').replace(/\\(.)/g, '$1') : null
  }

  #or(): Test {
    const tests = [this.#and()]
    while (this.take('||')) tests.push(this.#and())
    return (item, root) => tests.some((test) => test(item, root))
  }

  #and(): Test {
    const tests = [this.#not()]
    while (this.take('&&')) tests.push(this.#not())
    return (item, root) => tests.every((test) => test(item, root))
  }

  #not(): Test {
    if (this.#text.startsWith('!', this.#at) && this.#text[this.#at + 1] !== '=' && this.take('!')) {
      const test = this.#not()
      return (item, root) => !test(item, root)
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
    if (!operator) return (item, root) => left(item, root) !== undefined
    const right = this.#operand()
    return (item, root) => compare(left(item, root), operator, right(item, root))
  }

  #operand(): (item: unknown, root: unknown) => unknown {
    this.#space()
    const start = this.#text[this.#at]
    if (start === '@' || start === '$') {
      this.#at++
      const selectors = this.segments()
      return (item, root) => {
        let found: unknown[] = [start === '@' ? item : root]
        for (const select of selectors) found = found.flatMap((value) => select(value, root))
        return found.find((value) => value !== undefined)
      }
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
