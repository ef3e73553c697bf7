// What runs now, with how long it has run.
import type { RunSummary } from '../../api/types.ts'
import { Elapsed } from '../../parts/time.tsx'
import { linkTo } from '../../state/route.ts'
import { say } from '../../words/say.ts'
import { progressWords } from '../tool/progress-bar.tsx'

export function RunningList({ runs }: { runs: readonly RunSummary[] }) {
  if (runs.length === 0) return <p class="quiet-line">{say('Nothing runs.')}</p>
  return (
    <ul class="lines">
      {runs.slice(0, 10).map((run) => (
        <li key={run.runId}>
          <a class="line" href={linkTo('runs', run.runId)} data-row>
            <span class="dot" data-state="now" aria-hidden="true" />
            <span class="mono grow cut">{run.tool}</span>
            {run.progress?.total !== undefined && (
              <progress
                aria-label={say('Progress')}
                value={run.progress.done}
                max={run.progress.total}
                title={progressWords(run.progress)}
              />
            )}
            <span class="muted nowrap">{run.caller}</span>
            <Elapsed since={run.startedAt} />
          </a>
        </li>
      ))}
    </ul>
  )
}
