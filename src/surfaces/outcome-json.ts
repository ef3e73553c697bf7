// Outcomes as JSON text, at the edge. A result JSON cannot hold becomes an error that says so, never a crash.
import { notJson } from '../tool/not-json.ts'
import type { Failure, Outcome } from '../tool/outcome.ts'
import { errorData } from '../tool/tool-error.ts'

/** The outcome with a value that is surely JSON: undefined becomes null. */
export function jsonOutcome(outcome: Outcome): { readonly outcome: Outcome; readonly text: string } {
  try {
    const given = outcome.ok && outcome.value === undefined ? { ...outcome, value: null } : outcome
    return { outcome: given, text: JSON.stringify(given) }
  } catch (error) {
    const failure = unwritable(outcome, error)
    return { outcome: failure, text: JSON.stringify(failure) }
  }
}

/** The failure that takes the place of a result JSON cannot hold. */
export function unwritable(outcome: Outcome, error: unknown): Failure {
  const { value: _, ...rest } = outcome
  return { ...rest, ok: false, error: errorData(notJson(errorData(error).message)) }
}
