// A recorded call as an example: what was given then must give the same again.
import type { RunDetail } from '../../runs/run-history.ts'
import { isShape } from '../../runs/shape-of.ts'
import type { Json } from '../../tool/json.ts'
import type { Example } from '../../tool/tool.ts'
import { ToolError } from '../../tool/tool-error.ts'

const hint =
  'Set `audit: { params: full }` in toolcrib.yaml, make the call again, and use the id of that run (`toolcrib runs`).'

/** Throws CONFLICT when the record does not hold the values themselves. */
export function exampleFromRun(run: RunDetail): Example {
  refuseIncomplete(run, 'arguments', run.params)
  const title = `as in run ${run.runId.slice(0, 8)} of ${run.startedAt.slice(0, 10)}`
  const { outcome } = run
  if (!outcome) throw new ToolError('CONFLICT', `Run ${run.runId} has not ended yet.`)
  if (!outcome.ok) return { title, params: run.params, expectError: outcome.error.code }
  refuseIncomplete(run, 'result', (outcome.value ?? null) as Json)
  return { title, params: run.params, expect: outcome.value ?? null }
}

function refuseIncomplete(run: RunDetail, what: string, value: Json): void {
  const refuse = (why: string) =>
    new ToolError('CONFLICT', `The ${what} of run ${run.runId} (${run.tool}) ${why}.`, { hint })
  if (isShape(value)) throw refuse('were recorded only by shape, not by value')
  const text = JSON.stringify(value)
  const secret = /\[secret:([^\]]+)\]/.exec(text)?.[1]
  if (secret) throw refuse(`held the secret ${secret}, which no record keeps`)
  if (/"\[\d+ characters, not recorded\]"|"\[not JSON\]"/.test(text)) throw refuse('were too large to record')
}
