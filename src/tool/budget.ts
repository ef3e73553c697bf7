// How much a stranger's input may cost: steps taken, bytes (or characters) made, levels entered, time passed. Whoever
// works on such input counts here, and past a limit there is one error, whatever the limit.
import type vm from 'node:vm'
import { maxLevels, maxValues } from './json.ts'
import { lazyModule } from './lazy-module.ts'

export interface BudgetLimits {
  readonly steps?: number
  readonly bytes?: number
  readonly depth?: number
  /** Of `run`. */
  readonly ms?: number
}

export type Dimension = keyof BudgetLimits

const inWords: Record<Dimension, (limit: number) => string> = {
  steps: (limit) => `more than ${limit} values`,
  bytes: (limit) => `longer than ${limit} characters`,
  depth: (limit) => `nested deeper than ${limit} levels`,
  ms: (limit) => `takes longer than ${limit} ms`,
}

/** A limit was passed; the message says which, without a subject. */
export class BudgetError extends RangeError {
  readonly dimension: Dimension

  constructor(dimension: Dimension, limit: number) {
    super(inWords[dimension](limit))
    this.name = 'BudgetError'
    this.dimension = dimension
  }
}

export class Budget {
  readonly #limits: BudgetLimits
  #steps: number
  #bytes: number

  constructor(limits: BudgetLimits) {
    this.#limits = limits
    this.#steps = limits.steps ?? Number.POSITIVE_INFINITY
    this.#bytes = limits.bytes ?? Number.POSITIVE_INFINITY
  }

  /** Counts; false once too much was asked for. What is spent stays spent. `depth` is the level that is entered. */
  allows(dimension: Exclude<Dimension, 'ms'>, amount = 1): boolean {
    if (dimension === 'depth') return amount <= (this.#limits.depth ?? Number.POSITIVE_INFINITY)
    if (dimension === 'steps') {
      this.#steps -= amount
      return this.#steps >= 0
    }
    this.#bytes -= amount
    return this.#bytes >= 0
  }

  /** Counts; throws BudgetError once too much was asked for, and from then on at every call. */
  spend(dimension: Exclude<Dimension, 'ms'>, amount = 1): void {
    if (!this.allows(dimension, amount)) throw new BudgetError(dimension, this.#limits[dimension]!)
  }

  /**
   * Runs work that cannot count, such as somebody's regular expression, and interrupts it after `ms`.
   * @example
   * new Budget({ ms: 100 }).run(() => /^(a+)+$/.test('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab')) // throws BudgetError
   */
  run<T>(work: () => T): T {
    const { ms } = this.#limits
    if (ms === undefined) return work()
    clock ??= { context: loadVm().createContext({}), script: new (loadVm().Script)('work()') }
    const { context, script } = clock
    const outer: unknown = context['work']
    context['work'] = work
    try {
      return script.runInContext(context, { timeout: ms }) as T
    } catch (error) {
      if ((error as NodeJS.ErrnoException | null)?.code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
      throw new BudgetError('ms', ms)
    } finally {
      context['work'] = outer
    }
  }
}

/** True of data that is deeper than is read here, or has more values than `most` once shared parts count each time they are met. */
export function unfoldsTooFar(value: unknown, most = maxValues, levels = maxLevels): boolean {
  const budget = new Budget({ steps: most, depth: levels })
  const visit = (item: unknown, level: number): boolean => {
    if (!budget.allows('steps')) return true
    if (typeof item !== 'object' || item === null) return false
    if (!budget.allows('depth', level)) return true
    return Object.values(item).some((inner) => visit(inner, level + 1))
  }
  return visit(value, 1)
}

const loadVm = lazyModule<typeof vm>('node:vm')
let clock: { readonly context: vm.Context; readonly script: vm.Script } | undefined
