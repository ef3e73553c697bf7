// Everything about one tool, and the place to try it.
import { useEffect } from 'preact/hooks'
import { askJson, idPath } from '../../api/client.ts'
import type { Tool, ToolDescription } from '../../api/types.ts'
import { Failure } from '../../parts/failure.tsx'
import { Heading } from '../../parts/heading.tsx'
import { Loading } from '../../parts/loading.tsx'
import { LoginButton, serverToLogIn } from '../../parts/login-button.tsx'
import { LongText } from '../../parts/long-text.tsx'
import { ProblemList } from '../../parts/problem-list.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { StateBadge, TrustBadge } from '../../parts/tool-badges.tsx'
import { catalog } from '../../state/catalog.ts'
import { draftOf } from '../../state/drafts.ts'
import { isAdmin } from '../../state/live.ts'
import { linkTo, route, setQuery } from '../../state/route.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import { say, sayMany } from '../../words/say.ts'
import { CapabilityTable } from './capability-table.tsx'
import { ChainPicture } from './chain-picture.tsx'
import { FactsPanel } from './facts-panel.tsx'
import { SchemasTab } from './schemas-tab.tsx'
import { SourceTab } from './source-tab.tsx'
import { ToolPermit, useToolPermit } from './tool-permit.tsx'
import { ToolRuns } from './tool-runs.tsx'
import { TryTool } from './try-tool.tsx'
import './tool.css'

const tabs = [
  { key: 'try', label: 'Run' },
  { key: 'how', label: 'How it runs' },
  { key: 'code', label: 'Code' },
  { key: 'runs', label: 'Runs' },
  { key: 'docs', label: 'Docs' },
] as const

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
        <Heading isMono>{id}</Heading>
        <Failure error={error} onRetry={reload} />
        <a href={linkTo('tools')}>{say('All tools')}</a>
      </div>
    )
  if (!data) return <Loading what={id} lines={10} isPage />
  return <Loaded description={data} />
}

function Loaded({ description }: { description: ToolDescription }) {
  const { tool, chain } = description
  const chosen = route.value.query.get('tab') ?? 'try'
  const notes = tool.problems.filter(({ severity }) => severity === 'info')
  const faults = tool.problems.filter(({ severity }) => severity !== 'info')
  const server = serverToLogIn(tool)
  return (
    <div class="page">
      <div class="page-head">
        <Heading isMono>{tool.id}</Heading>
        <span class="row wrap">
          <StateBadge state={tool.state} {...(tool.reason ? { reason: tool.reason } : {})} />
          <span class="muted">
            {[tool.format, tool.kind === 'callable' ? '' : tool.kind, tool.version]
              .filter(Boolean)
              .join(' · ')}
          </span>
          {tool.trust.status === 'trusted' && <TrustBadge status="trusted" />}
          {(tool.trust.status === 'tampered' || tool.trust.status === 'invalid') && (
            <TrustBadge status={tool.trust.status} />
          )}
        </span>
        {tool.description && (
          <p class="tool-description">
            <LongText text={tool.description} />
          </p>
        )}
      </div>
      {tool.reason && faults.length === 0 && (
        <div class="callout" data-tone="warn">
          {tool.reason}
        </div>
      )}
      {faults.length > 0 && <ProblemList problems={faults} />}
      {server !== undefined && isAdmin.value && (
        <div class="row">
          <LoginButton server={server} />
        </div>
      )}
      {notes.length > 0 && (
        <details class="notes">
          <summary>{sayMany(notes.length, '{n} note', '{n} notes')}</summary>
          <ProblemList problems={notes} />
        </details>
      )}
      <Tabs
        label={say('About this tool')}
        tabs={tabs.map(({ key, label }) => ({ key, label: say(label) }))}
        chosen={chosen}
        onChoose={(tab) => setQuery({ tab: tab === 'try' ? null : tab })}
      >
        {chosen === 'try' && <TryTool tool={tool} />}
        {chosen === 'how' && (
          <div class="how">
            <Before tool={tool} />
            <CapabilityTable description={description} />
            <FactsPanel description={description} />
            {chain.length > 1 && (
              <section class="stack tight" aria-label={say('Executor chain')}>
                <h2>{say('Executor chain')}</h2>
                <ChainPicture chain={chain} />
              </section>
            )}
          </div>
        )}
        {chosen === 'code' && <SourceTab tool={tool} />}
        {chosen === 'runs' && <ToolRuns tool={tool} />}
        {chosen === 'docs' && <SchemasTab tool={tool} />}
      </Tabs>
    </div>
  )
}

/** A call's way through the guards, with the arguments that the form holds. */
function Before({ tool }: { tool: Tool }) {
  return <ToolPermit tool={tool} permit={useToolPermit(tool, draftOf(tool.id) ?? {})} isTouched={false} />
}
