// Every runtime that needs nothing but the environment of a crib, one line each. Tools made in code come on top:
// `functionRuntime(map)`.
import type { RuntimeFactory } from './runtime.ts'

export const runtimeFactories: readonly RuntimeFactory[] = []
