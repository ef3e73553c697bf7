// What a call gives back, whoever asked and whatever format the tool is written in.
import type {
  costShape,
  effectsShape,
  enforcementShape,
  failureShape,
  logLineShape,
  progressShape,
  spanShape,
  successShape,
} from './outcome-shape.ts'
import type { Static } from './shape.ts'

export interface LogLine extends Static<typeof logLineShape> {}
export type LogLevel = LogLine['level']

export interface Progress extends Static<typeof progressShape> {}

/** The honest label of a run: what was held, dimension by dimension, and by which layers. */
export interface Enforcement extends Static<typeof enforcementShape> {}

/** How far one dimension of a profile was held: by the kernel or host, noticed afterwards, or only reported. */
export type Enforced = Enforcement['dimensions'][string]

/** What a call did to the files of the crib. */
export interface Effects extends Static<typeof effectsShape> {}

export interface Cost extends Static<typeof costShape> {}

/** Time spent in one guard or runtime, in milliseconds from the start of the call. */
export interface Span extends Static<typeof spanShape> {}

export interface Success extends Static<typeof successShape> {}
export interface Failure extends Static<typeof failureShape> {}
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
