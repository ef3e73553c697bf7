// The latest runs of one tool.
import { useEffect } from 'preact/hooks'
import { askJson } from '../../api/client.ts'
import type { RunSummary, Tool } from '../../api/types.ts'
import { Empty } from '../../parts/empty.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Loading } from '../../parts/loading.tsx'
import { RunTable } from '../../parts/run-table.tsx'
import { finished } from '../../state/live.ts'
import { useLoaded } from '../../state/use-loaded.ts'

export function ToolRuns({ tool }: { tool: Tool }) {
  const { data, error, reload } = useLoaded(
    (signal) =>
      askJson<{ runs: RunSummary[] }>(`/api/runs?limit=50&tool=${encodeURIComponent(tool.id)}`, { signal }),
    [tool.id],
  )
  const latest = finished.value.find((run) => run.tool === tool.id)?.runId
  useEffect(() => {
    if (data && latest) reload()
  }, [latest])
  if (error) return <Failure error={error} onRetry={reload} />
  if (!data) return <Loading what="runs" />
  if (data.runs.length === 0) return <Empty title="Never run">Runs of this tool will be listed here.</Empty>
  return (
    <div class="card">
      <RunTable runs={data.runs} hidesTool />
    </div>
  )
}
