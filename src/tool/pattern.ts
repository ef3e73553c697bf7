// Regular expressions written by others. A pattern that could backtrack without end runs under a time
// limit; one that provably cannot runs plain. Either way a hostile pattern costs at most the limit.
import vm from 'node:vm'

export interface Pattern {
  readonly source: string
  /** False also when the time limit was hit; `timedOut` of the last call tells which. */
  test(text: string): boolean
  readonly timedOut: boolean
}

const defaultLimitMs = 100

/** Compiles as ECMAScript with the `u` flag, else without; throws SyntaxError when neither works. */
export function compileRegExp(source: string): RegExp {
  try {
    return new RegExp(source, 'u')
  } catch {
    return new RegExp(source)
  }
}

/** A pattern that is safe to run on any text: plain when linear, otherwise under `limitMs`. */
export function compilePattern(source: string, limitMs = defaultLimitMs): Pattern {
  const regexp = compileRegExp(source)
  return isSurelyFast(source)
    ? { source, timedOut: false, test: (text) => regexp.test(text) }
    : new TimedPattern(source, regexp, limitMs)
}

class TimedPattern implements Pattern {
  timedOut = false
  readonly source: string
  readonly #limitMs: number
  readonly #sandbox: { regexp: RegExp; text: string }
  readonly #context: vm.Context
  readonly #script: vm.Script

  constructor(source: string, regexp: RegExp, limitMs: number) {
    this.source = source
    this.#limitMs = limitMs
    this.#sandbox = { regexp, text: '' }
    this.#context = vm.createContext(this.#sandbox)
    this.#script = new vm.Script('regexp.test(text)')
  }

  test(text: string): boolean {
    this.timedOut = false
    this.#sandbox.text = text
    try {
      return this.#script.runInContext(this.#context, { timeout: this.#limitMs }) === true
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
      this.timedOut = true
      return false
    }
  }
}

/**
 * True when matching is linear for certain: no quantified group, no back reference, no look-around, and at
 * most one unbounded repeat, which then is anchored at the start. Anything it cannot prove is false.
 */
export function isSurelyFast(source: string): boolean {
  let unbounded = 0
  let anchored = source.startsWith('^')
  const openGroups: number[] = []
  let lastClosedGroup = false
  for (let i = 0; i < source.length; i++) {
    const char = source[i]!
    const closedGroup: boolean = lastClosedGroup
    lastClosedGroup = false
    if (char === '\\') {
      if (/[1-9k]/.test(source[i + 1] ?? '')) return false
      i++
    } else if (char === '[') {
      i = endOfClass(source, i)
      if (i === -1) return false
    } else if (char === '(') {
      if (/^\(\?(=|!|<=|<!)/.test(source.slice(i, i + 4))) return false
      openGroups.push(i)
    } else if (char === ')') {
      openGroups.pop()
      lastClosedGroup = true
    } else if (char === '|' && openGroups.length === 0) {
      anchored = false
    } else if (char === '*' || char === '+' || (char === '{' && /^\{\d+(,\d*)?\}/.test(source.slice(i)))) {
      const counted = /^\{(\d+)(,(\d*))?\}/.exec(source.slice(i))
      const most = counted
        ? counted[2] === undefined
          ? Number(counted[1])
          : counted[3] === ''
            ? Infinity
            : Number(counted[3])
        : Infinity
      if (closedGroup && most > 1) return false
      if (most > 64) unbounded++
      if (counted) i += counted[0].length - 1
    }
  }
  return unbounded === 0 || (unbounded === 1 && anchored)
}

function endOfClass(source: string, start: number): number {
  for (let i = start + 1; i < source.length; i++) {
    if (source[i] === '\\') i++
    else if (source[i] === ']') return i
  }
  return -1
}
