// Regular expressions written by others. A pattern that could backtrack without end runs under a time
// limit; one that provably cannot runs plain. Either way a hostile pattern costs at most the limit.
import { Budget, BudgetError } from './budget.ts'

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
  readonly #regexp: RegExp
  readonly #budget: Budget

  constructor(source: string, regexp: RegExp, limitMs: number) {
    this.source = source
    this.#regexp = regexp
    this.#budget = new Budget({ ms: limitMs })
  }

  test(text: string): boolean {
    this.timedOut = false
    try {
      return this.#budget.run(() => this.#regexp.test(text))
    } catch (error) {
      if (!(error instanceof BudgetError)) throw error
      this.timedOut = true
      return false
    }
  }
}

// So many ways to match are tried without a clock: at each place of a text, and in all.
const maxWays = 64
const maxWaysOnce = 4_096

/**
 * True when matching is quick for certain: no quantified group, no back reference, no look-around, at most one
 * unbounded repeat, which then is anchored at the start, and few ways through the alternatives and bounded
 * repeats. Anything it cannot prove is false.
 */
export function isSurelyFast(source: string): boolean {
  let unbounded = 0
  let anchored = source.startsWith('^')
  // Per open group: ways through its finished alternatives, and through the one being read.
  const groups = [{ sum: 0, product: 1 }]
  let lastClosedGroup = false
  for (let i = 0; i < source.length; i++) {
    const char = source[i]!
    const group = groups.at(-1)!
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
      if (source[i + 1] === '?') i++
      groups.push({ sum: 0, product: 1 })
    } else if (char === ')') {
      if (groups.length > 1) groups.pop()
      groups.at(-1)!.product *= group.sum + group.product
      lastClosedGroup = true
    } else if (char === '|') {
      if (groups.length === 1) anchored = false
      group.sum += group.product
      group.product = 1
    } else if (char === '?') {
      group.product *= 2
    } else if (char === '*' || char === '+' || (char === '{' && /^\{\d+(,\d*)?\}/.test(source.slice(i)))) {
      const counted = /^\{(\d+)(,(\d*))?\}/.exec(source.slice(i))
      const least = counted ? Number(counted[1]) : 0
      const most = counted
        ? counted[2] === undefined
          ? Number(counted[1])
          : counted[3] === ''
            ? Infinity
            : Number(counted[3])
        : Infinity
      if (closedGroup && most > 1) return false
      if (most > 64) unbounded++
      else group.product *= Math.max(1, most - least + 1)
      if (counted) i += counted[0].length - 1
    }
    if (groups.at(-1)!.sum + groups.at(-1)!.product > maxWaysOnce) return false
  }
  if (unbounded > 1 || (unbounded === 1 && !anchored)) return false
  const [{ sum, product }] = groups as [{ sum: number; product: number }]
  return sum + product <= (anchored && unbounded === 0 ? maxWaysOnce : maxWays)
}

function endOfClass(source: string, start: number): number {
  for (let i = start + 1; i < source.length; i++) {
    if (source[i] === '\\') i++
    else if (source[i] === ']') return i
  }
  return -1
}
