// One crumb: what it says, how it changed, what set it off and what came of it.
import { useEffect } from 'preact/hooks'
import { ask, askJson } from '../../api/client.ts'
import { follow } from '../../api/follow.ts'
import type { CrumbEvent, FullCrumb } from '../../api/types.ts'
import { Badge } from '../../parts/badge.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Heading } from '../../parts/heading.tsx'
import { Loading } from '../../parts/loading.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { Moment } from '../../parts/time.tsx'
import { ResultView } from '../../result/result-view.tsx'
import { announce } from '../../state/notices.ts'
import { goTo, linkTo, route, setQuery } from '../../state/route.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import { say, sayMany } from '../../words/say.ts'
import { Causation } from './causation.tsx'
import { EditCrumb } from './edit-crumb.tsx'
import { History } from './history.tsx'
import './crumbs.css'

const tabs = [
  { key: 'content', label: 'Content' },
  { key: 'history', label: 'History' },
  { key: 'causes', label: 'Causes and effects' },
  { key: 'edit', label: 'Edit' },
] as const

export function CrumbPage() {
  const id = route.value.rest
  const { data, error, reload } = useLoaded(
    (signal) => askJson<FullCrumb>(`/breadcrumbs/${encodeURIComponent(id)}/full`, { signal }),
    [id],
  )
  const schema = data?.schema_name
  useEffect(() => {
    if (!data) return
    const stop = new AbortController()
    void follow(`/events/stream?${new URLSearchParams(schema ? { schema_name: schema } : {})}`, {
      signal: stop.signal,
      onEvent: ({ data: line }) => {
        if ((JSON.parse(line) as CrumbEvent).breadcrumb_id === id) reload()
      },
    })
    return () => stop.abort()
  }, [id, schema, data === null])

  if (error && (!data || error.status === 404))
    return (
      <div class="page">
        <Heading>{say('Event')}</Heading>
        <Failure error={error} onRetry={reload} />
        <a href={linkTo('events')}>{say('To the events')}</a>
      </div>
    )
  if (!data) return <Loading what={say('the event')} lines={10} isPage />
  return <Loaded crumb={data} reload={reload} />
}

function Loaded({ crumb, reload }: { crumb: FullCrumb; reload: () => void }) {
  const chosen = route.value.query.get('tab') ?? 'content'
  const remove = async () => {
    if (!confirm(say('Delete "{title}"?', { title: crumb.title }))) return
    const answer = await ask(`/breadcrumbs/${crumb.id}`, {
      method: 'DELETE',
      headers: { 'if-match': `"${crumb.version}"` },
    })
    if (answer.ok) goTo(linkTo('events'))
    else
      announce(
        answer.status === 412
          ? say('It was changed meanwhile; look again first.')
          : say('It was not deleted.'),
        true,
      )
  }
  return (
    <div class="page">
      <div class="page-head">
        <Heading>{crumb.title}</Heading>
        {crumb.schema_name && <Badge tone="accent">{crumb.schema_name}</Badge>}
        <Badge>{say('version {n}', { n: crumb.version })}</Badge>
        <span class="grow" />
        <a class="button" href={linkTo('threads', crumb.id)}>
          {say('See the thread')}
        </a>
        <button type="button" class="button danger" onClick={remove}>
          {say('Delete')}
        </button>
      </div>
      <Tabs
        label={say('About this event')}
        tabs={tabs.map(({ key, label }) => ({ key, label: say(label) }))}
        chosen={chosen}
        onChoose={(tab) => setQuery({ tab: tab === 'content' ? null : tab })}
      >
        {chosen === 'content' && <Content crumb={crumb} />}
        {chosen === 'history' && <History id={crumb.id} version={crumb.version} />}
        {chosen === 'causes' && <Causation id={crumb.id} version={crumb.version} />}
        {chosen === 'edit' && <EditCrumb crumb={crumb} onSaved={reload} />}
      </Tabs>
    </div>
  )
}

function Content({ crumb }: { crumb: FullCrumb }) {
  return (
    <div class="crumb-columns">
      <section class="card" aria-label={say('Context')}>
        <header>
          <h2>{say('Context')}</h2>
        </header>
        <div class="body">
          <ResultView value={crumb.context} />
        </div>
      </section>
      <aside class="card" aria-label={say('Facts')}>
        <div class="body">
          <dl class="facts">
            <dt>{say('Id')}</dt>
            <dd class="mono">{crumb.id}</dd>
            <dt>{say('Created')}</dt>
            <dd>
              <Moment moment={crumb.created_at} /> {say('by {name}', { name: crumb.created_by })}
            </dd>
            <dt>{say('Changed')}</dt>
            <dd>
              <Moment moment={crumb.updated_at} /> {say('by {name}', { name: crumb.updated_by })}
            </dd>
            {crumb.ttl && (
              <>
                <dt>{say('Expires')}</dt>
                <dd>
                  <Moment moment={crumb.ttl} />
                </dd>
              </>
            )}
            <dt>{say('Visibility')}</dt>
            <dd>
              {say('{visibility}, sensitivity {sensitivity}', {
                visibility: crumb.visibility,
                sensitivity: crumb.sensitivity,
              })}
            </dd>
            <dt>{say('Size')}</dt>
            <dd>{sayMany(crumb.size_bytes, '{n} byte', '{n} bytes')}</dd>
            <dt>{say('Tags')}</dt>
            <dd class="row wrap">
              {crumb.tags.map((tag) => (
                <a key={tag} class="badge" href={linkTo('events', '', { tag })}>
                  {tag}
                </a>
              ))}
            </dd>
          </dl>
        </div>
      </aside>
    </div>
  )
}
