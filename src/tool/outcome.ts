// What a call gives back, whoever asked and whatever format the tool is written in.
import type { Json } from './json.ts'
import type { ToolErrorData } from './tool-error.ts'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

export interface LogLine {
  readonly level: LogLevel
  readonly message: string
  /** Milliseconds since the call began. */
  readonly atMs: number
  readonly data?: Json
}

export interface Progress {
  readonly done: number
  readonly total?: number
  readonly message?: string
}

/** How far one dimension of a profile was held: by the kernel or host, noticed afterwards, or only reported. */
export type Enforced = 'enforced' | 'partial' | 'advisory'

/** The honest label of a run: what was held, dimension by dimension, and by which layers. */
export interface Enforcement {
  readonly layers: readonly string[]
  readonly dimensions: { readonly [dimension: string]: Enforced }
}

export interface Cost {
  readonly amount: number
  readonly currency: string
}

/** Time spent in one guard or runtime, in milliseconds from the start of the call. */
export interface Span {
  readonly name: string
  readonly startMs: number
  readonly endMs: number
}

interface OutcomeBase {
  readonly logs: readonly LogLine[]
  readonly ms: number
  readonly runId: string
  /** Facts of the runtime: exit code, truncated, resolved binary, attempts, status. */
  readonly meta?: { readonly [key: string]: Json }
  readonly cost?: Cost
  readonly enforcement: Enforcement
}

export interface Success extends OutcomeBase {
  readonly ok: true
  readonly value: unknown
}

export interface Failure extends OutcomeBase {
  readonly ok: false
  readonly error: ToolErrorData
  /** What the tool had produced before it failed, where the format keeps it. */
  readonly value?: unknown
}

export type Outcome = Success | Failure

export const inProcessEnforcement: Enforcement = { layers: [], dimensions: {} }

const texts = new WeakMap<Enforcement, string>()

/** As JSON: it is in every record and every answer, and nearly always the same. */
export function enforcementText(enforcement: Enforcement): string {
  let text = texts.get(enforcement)
  if (text === undefined) {
    text = JSON.stringify(enforcement)
    texts.set(enforcement, text)
  }
  return text
}
