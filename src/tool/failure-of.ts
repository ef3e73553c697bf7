// What a call comes to that was never made.
import { type Failure, inProcessEnforcement } from './outcome.ts'
import { timeId } from './time-id.ts'
import { errorData } from './tool-error.ts'

/** The outcome of a call that never came about: no such tool, a broken configuration. */
export function failureOf(error: unknown, runId: string = timeId()): Failure {
  return { ok: false, error: errorData(error), logs: [], ms: 0, runId, enforcement: inProcessEnforcement }
}
