// The runtimes of a crib, each opened by the first call that needs it.
import { functionRuntime, type ToolFunction } from '../runtimes/function/function-runtime.ts'
import type { LateRuntime, Runtime, RuntimeEnv } from '../runtimes/runtime.ts'
import { ToolError } from '../tool/tool-error.ts'

export class Runtimes {
  readonly #env: () => RuntimeEnv
  readonly #functions: ReadonlyMap<string, ToolFunction>
  readonly #known: readonly (Runtime | LateRuntime)[]
  readonly #opened = new Map<string, Runtime | Promise<Runtime>>()

  constructor(
    env: () => RuntimeEnv,
    functions: ReadonlyMap<string, ToolFunction>,
    known: readonly (Runtime | LateRuntime)[],
  ) {
    this.#known = known
    this.#env = env
    this.#functions = functions
  }

  of(name: string): Runtime | Promise<Runtime> {
    let runtime = this.#opened.get(name)
    if (!runtime) {
      runtime = this.#open(name)
      this.#opened.set(name, runtime)
      if (runtime instanceof Promise) {
        runtime.then(
          (opened) => this.#opened.set(name, opened),
          () => this.#opened.delete(name),
        )
      }
    }
    return runtime
  }

  async close(): Promise<void> {
    await Promise.all([...this.#opened.values()].map(async (runtime) => (await runtime).close?.()))
  }

  #open(name: string): Runtime | Promise<Runtime> {
    const env = this.#env()
    if (name === 'function') return functionRuntime(this.#functions)(env)
    const found = this.#known.find((runtime) => runtime.name === name)
    if (!found)
      throw new ToolError('RUNTIME_MISSING', `There is no runtime "${name}".`, {
        details: { known: this.#known.map((runtime) => runtime.name) },
      })
    return 'open' in found ? found.open(env) : found
  }
}
