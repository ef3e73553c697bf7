// Which runs a filter leaves.
import type { RunSummary } from '../../api/types.ts'

export interface RunFilter {
  readonly text: string
  readonly outcome: string
  readonly surface: string
}

export function keepRuns(runs: readonly RunSummary[], { text, outcome, surface }: RunFilter): RunSummary[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return runs.filter((run) => {
    if (surface && run.surface !== surface) return false
    if (outcome && outcomeOf(run) !== outcome) return false
    const hay = `${run.tool} ${run.caller} ${run.errorCode ?? ''} ${run.runId}`.toLowerCase()
    return words.every((word) => hay.includes(word))
  })
}

function outcomeOf(run: RunSummary): 'running' | 'ok' | 'failed' {
  if (run.state === 'running') return 'running'
  return run.ok ? 'ok' : 'failed'
}
