// Outcomes as JSON text, at the edge. A result JSON cannot hold becomes an error that says so, never a crash.
import type { Failure, Outcome } from '../tool/outcome.ts'
import { messageOf } from '../tool/tool-error.ts'

/** The outcome with a value that is surely JSON: undefined becomes null. */
export function jsonOutcome(outcome: Outcome): { readonly outcome: Outcome; readonly text: string } {
  try {
    const given = outcome.ok && outcome.value === undefined ? { ...outcome, value: null } : outcome
    return { outcome: given, text: JSON.stringify(given) }
  } catch (error) {
    const { value: _, ...rest } = outcome
    const failure: Failure = {
      ...rest,
      ok: false,
      error: {
        code: 'RESULT_INVALID',
        message: `The result cannot be written as JSON: ${messageOf(error)}.`,
        hint: 'The tool must return JSON values: no cycles, no BigInt.',
        retryable: false,
      },
    }
    return { outcome: failure, text: JSON.stringify(failure) }
  }
}
