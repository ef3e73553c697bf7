// What does the outcome of a request look like in its response?
import { isPlainObject, isTooDeep, type Json, type JsonObject, maxLevels } from '../tool/json.ts'
import type { Outcome } from '../tool/outcome.ts'

/** What the creator may not call is TOOL_NOT_ALLOWED in every response, whichever list forbids it. */
export function inWordsOfRequests(outcome: Outcome): Outcome {
  if (outcome.ok || outcome.error.code !== 'TOOL_DENIED') return outcome
  return { ...outcome, error: { ...outcome.error, code: 'TOOL_NOT_ALLOWED' } }
}

/** What a foreign server said in blocks beside the value, for whoever reads blocks. */
export function blocksOf({ meta }: Outcome): JsonObject {
  const { content, resultMeta } = meta ?? {}
  if (content === undefined && resultMeta === undefined) return {}
  return {
    blocks: { ...(content !== undefined && { content }), ...(resultMeta !== undefined && { resultMeta }) },
  }
}

/** The code a tool's process ended with, where that is what went wrong; null when a signal ended it. */
export function exitCodeIn(outcome: Outcome): unknown {
  const details = outcome.ok ? undefined : outcome.error.details
  return isPlainObject(details) ? details['exitCode'] : undefined
}

/** The outcome with its value as JSON.stringify sees it; what no breadcrumb can hold is a failure of the tool. */
export function storable(outcome: Outcome): Outcome {
  if (!outcome.ok) return outcome
  let fault = `it is nested deeper than ${maxLevels} levels`
  try {
    if (!isTooDeep(outcome.value))
      return { ...outcome, value: JSON.parse(JSON.stringify(outcome.value) ?? 'null') as Json }
  } catch (error) {
    fault = (error as Error).message
  }
  const { value: _, ok: __, ...rest } = outcome
  const message = `The result cannot be kept in a breadcrumb: ${fault}.`
  return { ...rest, ok: false, error: { code: 'RESULT_INVALID', message, retryable: false } }
}
