// What is no longer what was approved: the difference of each tool, and accepting it.
import { useState } from 'preact/hooks'
import { type ApiError, askJson, idPath } from '../../api/client.ts'
import type { Difference, DriftReport } from '../../api/types.ts'
import { Badge, type Tone } from '../../parts/badge.tsx'
import { DiffView } from '../../parts/diff-view.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Loading } from '../../parts/loading.tsx'
import { announce } from '../../state/notices.ts'
import { linkTo } from '../../state/route.ts'
import { useLoaded } from '../../state/use-loaded.ts'

const riskTones: Record<string, Tone> = { high: 'bad', medium: 'warn', low: 'info' }

export function Drift() {
  const { data, error, reload } = useLoaded((signal) => askJson<DriftReport>('/api/drift', { signal }), [])
  if (error) return <Failure error={error} onRetry={reload} />
  if (!data) return <Loading what="drift" />
  const tools = Map.groupBy(data.drifted, (difference) => difference.tool)
  return (
    <>
      {data.problem && (
        <div class="callout" data-tone="bad">
          <strong>{data.problem.message}</strong>
          {data.problem.hint}
        </div>
      )}
      <p class="muted">
        {data.locked
          ? `${data.pinned} tools are pinned in toolcrib.lock, ${data.unpinned.length} are not, ${data.gone.length} pinned ones are gone.`
          : 'There is no toolcrib.lock: nothing is pinned. Make one with toolcrib lock.'}
      </p>
      {data.locked && tools.size === 0 && (
        <Empty title="Nothing drifted" icon="check">
          <p>Every pinned tool is what was approved.</p>
        </Empty>
      )}
      <ul class="stack" aria-label="Drifted tools">
        {[...tools].map(([tool, differences]) => (
          <DriftedTool key={tool} tool={tool} differences={differences} onApproved={reload} />
        ))}
      </ul>
    </>
  )
}

interface DriftedToolProps {
  readonly tool: string
  readonly differences: readonly Difference[]
  onApproved(): void
}

function DriftedTool({ tool, differences, onApproved }: DriftedToolProps) {
  const [error, setError] = useState<ApiError | null>(null)
  const approve = async () => {
    try {
      await askJson(`/api/drift/${idPath(tool)}/approve`, { method: 'POST' })
      announce(`${tool} approved as it is now`)
      onApproved()
    } catch (thrown) {
      setError(thrown as ApiError)
    }
  }
  return (
    <li class="card">
      <header>
        <h2>
          <a href={linkTo('tools', tool)}>{tool}</a>
        </h2>
        <button type="button" class="button primary" onClick={approve}>
          Approve<span class="unseen"> {tool}</span>
        </button>
      </header>
      <div class="body stack">
        {error && <Failure error={error} />}
        {differences.map((difference) => (
          <section key={difference.field} class="stack tight">
            <span class="row wrap">
              <Badge tone={riskTones[difference.risk] ?? 'plain'}>{difference.risk} risk</Badge>
              <strong>{difference.field}</strong>
              <span>{difference.what}</span>
            </span>
            <DiffView
              label={`Difference of ${difference.field}`}
              before={difference.before}
              after={difference.after}
            />
          </section>
        ))}
      </div>
    </li>
  )
}
