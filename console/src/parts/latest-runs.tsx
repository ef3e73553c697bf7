// The last calls, whoever made them; of all tools or of one.
import type { RunSummary } from '../api/types.ts'
import { useQuery } from '../state/query.ts'
import { linkTo } from '../state/route.ts'
import { say } from '../words/say.ts'
import { Loading } from './loading.tsx'
import { Ago, duration } from './time.tsx'

interface LatestRunsProps {
  readonly most: number
  readonly tool?: string
}

export function LatestRuns({ most, tool }: LatestRunsProps) {
  const query = new URLSearchParams({ limit: String(most), ...(tool === undefined ? {} : { tool }) })
  const { data } = useQuery<{ runs: readonly RunSummary[] }>(`/api/runs?${query}`, ['runs'])
  return (
    <section class="latest-runs" aria-label={say('Latest runs')}>
      <h2>
        {say('Latest runs')}
        <a class="more" href={tool === undefined ? linkTo('runs') : linkTo('tools', tool, { tab: 'runs' })}>
          {say('All')}
        </a>
      </h2>
      {!data && <Loading what={say('Latest runs')} />}
      {data?.runs.length === 0 && <p class="quiet-line">{say('Nothing ran yet.')}</p>}
      <ul class="lines">
        {data?.runs.slice(0, most).map((run) => (
          <li key={run.runId}>
            <a class="line" href={linkTo('runs', run.runId)} data-row>
              <span class="dot" data-state={run.state ? 'now' : run.ok ? 'ok' : 'bad'} aria-hidden="true" />
              <span class="mono grow cut">{tool === undefined ? run.tool : run.runId.slice(0, 18)}</span>
              {run.ok === false && <span class="bad-text nowrap">{run.errorCode}</span>}
              {tool !== undefined && !run.state && <span class="muted nowrap">{duration(run.ms)}</span>}
              <span class="muted nowrap">
                <Ago moment={run.startedAt} />
              </span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  )
}
