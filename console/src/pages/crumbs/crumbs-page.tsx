// The breadcrumbs of the crib: newest first, changing as they are written, narrowed by schema and tag.
import { computed } from '@preact/signals'
import { useState } from 'preact/hooks'
import { ChoiceFilter } from '../../parts/choice-filter.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Loading } from '../../parts/loading.tsx'
import { SearchBox } from '../../parts/search-box.tsx'
import { route, setQuery } from '../../state/route.ts'
import { say } from '../../words/say.ts'
import { CreateCrumb } from './create-crumb.tsx'
import { CrumbRow } from './crumb-row.tsx'
import { useFeed } from './use-feed.ts'
import './crumbs.css'

const filter = computed(() => {
  const { query } = route.value
  return { text: query.get('q') ?? '', schema: query.get('schema') ?? '', tag: query.get('tag') ?? '' }
})

export function CrumbStream() {
  const { text, schema, tag } = filter.value
  const feed = useFeed({ text, schema, tag })
  const [isCreating, setCreating] = useState(false)
  return (
    <>
      <div class="row wrap">
        <span class="muted" role="status">
          {feed.items ? `${feed.items.length} shown${feed.hasMore ? ', more exist' : ''}` : ''}
        </span>
        <span class="grow" />
        <button type="button" class="button primary" onClick={() => setCreating(true)}>
          <Icon name="plus" /> {say('Send an event')}
        </button>
      </div>
      <div class="filters">
        <SearchBox label={say('Search events')} value={text} onInput={(q) => setQuery({ q })} />
        <ChoiceFilter
          label="Schema"
          value={schema}
          choices={withChosen(feed.schemas, schema)}
          onChoose={(value) => setQuery({ schema: value })}
        />
        <ChoiceFilter
          label="Tag"
          value={tag}
          choices={withChosen(feed.tags, tag)}
          onChoose={(value) => setQuery({ tag: value })}
        />
      </div>
      {feed.error && <Failure error={feed.error} onRetry={feed.reload} />}
      {!feed.items && !feed.error && <Loading what="crumbs" lines={10} />}
      {feed.items?.length === 0 && (
        <Empty title={text || schema || tag ? say('Nothing matches') : say('No events yet')} icon="crumbs">
          <p>
            Breadcrumbs are what happened: notes, requests, results, ticks. Tools write them and react to
            them.
          </p>
        </Empty>
      )}
      {feed.items && feed.items.length > 0 && (
        <ul class="card crumb-list" aria-label={say('Events')}>
          {feed.items.map((item) => (
            <CrumbRow key={item.id} item={item} event={feed.latest.get(item.id)} />
          ))}
        </ul>
      )}
      {isCreating && <CreateCrumb onClose={() => setCreating(false)} />}
    </>
  )
}

function withChosen(values: readonly string[], chosen: string): readonly string[] {
  return chosen === '' || values.includes(chosen) ? values : [chosen, ...values]
}
