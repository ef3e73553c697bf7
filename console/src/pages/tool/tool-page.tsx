// Everything about one tool, and the place to try it.
import { useEffect } from 'preact/hooks'
import { askJson, idPath } from '../../api/client.ts'
import type { ToolDescription } from '../../api/types.ts'
import { Badge } from '../../parts/badge.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Loading } from '../../parts/loading.tsx'
import { ProblemList } from '../../parts/problem-list.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { FenceBadge, StateBadge, TrustBadge } from '../../parts/tool-badges.tsx'
import { catalog, rowsById } from '../../state/catalog.ts'
import { linkTo, route, setQuery } from '../../state/route.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import { ChainTab } from './chain-tab.tsx'
import { FactsPanel } from './facts-panel.tsx'
import { SchemasTab } from './schemas-tab.tsx'
import { SourceTab } from './source-tab.tsx'
import { ToolRuns } from './tool-runs.tsx'
import { TryTool } from './try-tool.tsx'
import './tool.css'

const tabs = [
  { key: 'try', label: 'Try' },
  { key: 'schemas', label: 'Schemas' },
  { key: 'chain', label: 'Way of a call' },
  { key: 'source', label: 'Source' },
  { key: 'runs', label: 'Runs' },
]

export function ToolPage() {
  const id = route.value.rest
  const { data, error, reload } = useLoaded(
    (signal) => askJson<ToolDescription>(`/api/tools/${idPath(id)}`, { signal }),
    [id],
  )
  // The files may change under the reader: the page follows.
  const version = catalog.value?.version
  useEffect(() => {
    if (data) reload()
  }, [version])

  if (error && !data)
    return (
      <div class="page">
        <h1 tabIndex={-1}>{id}</h1>
        <Failure error={error} onRetry={reload} />
        <a href={linkTo('tools')}>To the catalog</a>
      </div>
    )
  if (!data) return <Loading what={id} lines={10} />
  return <Loaded description={data} />
}

function Loaded({ description }: { description: ToolDescription }) {
  const { tool } = description
  const chosen = route.value.query.get('tab') ?? 'try'
  const fence = rowsById.value.get(tool.id)?.fence
  return (
    <div class="page">
      <div class="page-head">
        <h1 tabIndex={-1} class="mono">
          {tool.id}
        </h1>
        <span class="row wrap">
          <StateBadge state={tool.state} {...(tool.reason ? { reason: tool.reason } : {})} />
          <Badge tone="accent">{tool.format}</Badge>
          {tool.kind !== 'callable' && <Badge>{tool.kind}</Badge>}
          <TrustBadge status={tool.trust.status} />
          {fence && <FenceBadge fence={fence} />}
          <span class="muted">{tool.version}</span>
        </span>
        {tool.description && <p class="tool-description">{tool.description}</p>}
      </div>
      {tool.reason && (
        <div class="callout" data-tone="warn">
          {tool.reason}
        </div>
      )}
      {tool.problems.length > 0 && <ProblemList problems={tool.problems} />}
      <div class="tool-columns">
        <div class="stack">
          <Tabs
            label="About this tool"
            tabs={tabs}
            chosen={chosen}
            onChoose={(tab) => setQuery({ tab: tab === 'try' ? null : tab })}
          >
            {chosen === 'try' && <TryTool tool={tool} />}
            {chosen === 'schemas' && <SchemasTab tool={tool} />}
            {chosen === 'chain' && <ChainTab description={description} />}
            {chosen === 'source' && <SourceTab tool={tool} />}
            {chosen === 'runs' && <ToolRuns tool={tool} />}
          </Tabs>
        </div>
        <FactsPanel description={description} />
      </div>
    </div>
  )
}
