// What a call comes to. Secrets are taken out here, on the way to whoever asked.
import type { Outcome } from '../tool/outcome.ts'
import { errorData, ToolError } from '../tool/tool-error.ts'
import type { Call } from './call.ts'

/** What a finished call comes to; what cannot be looked through for secrets is not given away. */
export function outcomeOf(call: Call): Outcome {
  try {
    return readOutcome(call)
  } catch (error) {
    const { message } = errorData(error)
    call.result = undefined
    call.error = new ToolError('RESULT_INVALID', `The result of ${call.tool.id} cannot be read: ${message}.`)
    return readOutcome(call)
  }
}

function readOutcome(call: Call): Outcome {
  const { scrubber, logs, id: runId, enforcement, meta, cost, effects } = call
  const ms = Math.round(call.elapsedMs() * 1000) / 1000
  // Written out and not spread: this is what nearly every call comes to.
  const { result, error } = call.state
  if (error === undefined && !meta && !cost && !effects)
    return { ok: true, value: scrubber.value(result), logs, ms, runId, enforcement }
  const base = {
    logs,
    ms,
    runId,
    enforcement,
    ...(meta && { meta: scrubber.value(meta) }),
    ...(cost && { cost }),
    ...(effects && { effects }),
  }
  if (error === undefined) return { ok: true, value: scrubber.value(result), ...base }
  const value = result === undefined ? {} : { value: scrubber.value(result) }
  return { ok: false, error: scrubber.value(errorData(error)), ...value, ...base }
}
