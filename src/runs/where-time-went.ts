// Where the time of a tool's last runs went. Spans of a call lie inside each other; what counts is the time a part
// spent itself, without the parts inside it.
import type { Finding } from '../catalog/why.ts'
import type { Span } from '../tool/outcome.ts'
import type { RunDetail, RunHistory } from './run-history.ts'

const slowMs = 1_000
const looksBack = 20

const meanings: { readonly [name: string]: string } = {
  execute: 'the tool itself and the start of its worker',
  params: 'compiling and checking the parameters',
  returns: 'checking the result',
  trust: 'judging signatures',
  approve: 'waiting for a person',
  retry: 'waiting between attempts',
  secrets: 'opening secrets',
  limits: 'waiting in line',
}

/** The finding about a tool's last runs, as recorded. */
export async function timesOf(tool: string, history: RunHistory): Promise<Finding[]> {
  const last = await history.list({ limit: looksBack, tool })
  const runs = await Promise.all(last.runs.map(({ runId }) => history.find(runId)))
  return whereTimeWent(
    tool,
    // What was refused before it began says nothing about the tool.
    runs.filter((run) => run?.spans.some(({ name }) => name === 'execute')) as RunDetail[],
  )
}

/** One finding, `slow` or `time`; none when there are no runs. */
function whereTimeWent(tool: string, runs: readonly RunDetail[]): Finding[] {
  if (runs.length === 0) return []
  const times = runs.map((run) => run.ms).sort((a, b) => a - b)
  const median = times[Math.floor(times.length / 2)]!
  const total = runs.reduce((sum, run) => sum + run.ms, 0)
  const parts = new Map<string, number>()
  for (const run of runs)
    for (const [name, ms] of ownTimes(run.spans)) parts.set(name, (parts.get(name) ?? 0) + ms)
  const shares = [...parts]
    .sort((a, b) => b[1] - a[1])
    .slice(0, 3)
    .filter(([, ms]) => ms >= total * 0.02)
    .map(([name, ms]) => {
      const what = meanings[name] ? ` (${meanings[name]})` : ''
      return `${Math.round((100 * ms) / total)}% ${name}${what}`
    })
  const count = runs.length === 1 ? 'its last run' : `its last ${runs.length} runs`
  const isSlow = median >= slowMs
  return [
    {
      code: isSlow ? 'slow' : 'time',
      message: `${tool} took ${shown(median)} at the median of ${count}${times.length > 1 ? `, ${shown(times.at(-1)!)} at most` : ''}${shares.length > 0 ? `: ${shares.join(', ')}` : ''}.`,
      hint: isSlow ? hintFor(shares[0] ?? '') : undefined,
    },
  ]
}

/** Milliseconds of each part without the parts inside it. */
function ownTimes(spans: readonly Span[]): Map<string, number> {
  const own = new Map<string, number>()
  for (const span of spans) {
    const inside = spans.filter(
      (other) =>
        other !== span &&
        other.startMs >= span.startMs &&
        other.endMs <= span.endMs &&
        !spans.some(
          (between) =>
            between !== span &&
            between !== other &&
            between.startMs >= span.startMs &&
            between.endMs <= span.endMs &&
            between.startMs <= other.startMs &&
            between.endMs >= other.endMs,
        ),
    )
    const nested = inside.reduce((sum, other) => sum + other.endMs - other.startMs, 0)
    own.set(span.name, (own.get(span.name) ?? 0) + Math.max(0, span.endMs - span.startMs - nested))
  }
  return own
}

function hintFor(largest: string): string {
  if (largest.includes('approve')) return 'It waited for an answer, not for the tool.'
  if (largest.includes('execute'))
    return 'The first call of a process starts a worker; `toolcrib serve` keeps workers warm. Else look into the tool itself.'
  return 'See the spans of one run: `toolcrib runs show <id> --json`.'
}

function shown(ms: number): string {
  return ms >= 1000 ? `${(ms / 1000).toFixed(1)} s` : `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`
}
