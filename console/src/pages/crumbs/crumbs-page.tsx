// The breadcrumbs of the crib: newest first, changing as they are written, narrowed by schema and tag.
import { computed } from '@preact/signals'
import { ChoiceFilter } from '../../parts/choice-filter.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Loading } from '../../parts/loading.tsx'
import { MoreBelow } from '../../parts/more-below.tsx'
import { SearchBox } from '../../parts/search-box.tsx'
import { VirtualList } from '../../parts/virtual-list.tsx'
import { route, setQuery } from '../../state/route.ts'
import { say } from '../../words/say.ts'
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
  return (
    <>
      <div class="filters">
        <SearchBox label={say('Search events')} value={text} onInput={(q) => setQuery({ q })} />
        <ChoiceFilter
          label={say('Schema')}
          value={schema}
          choices={withChosen(feed.schemas, schema)}
          onChoose={(value) => setQuery({ schema: value })}
        />
        <ChoiceFilter
          label={say('Tag')}
          value={tag}
          choices={withChosen(feed.tags, tag)}
          onChoose={(value) => setQuery({ tag: value })}
        />
        <button type="button" class="button" aria-pressed={feed.isPaused} onClick={feed.togglePause}>
          <Icon name={feed.isPaused ? 'play' : 'pause'} />
          {feed.isPaused
            ? feed.missed > 0
              ? say('Go on ({n} new)', { n: feed.missed })
              : say('Go on')
            : say('Pause')}
        </button>
      </div>
      {feed.error && <Failure error={feed.error} onRetry={feed.reload} />}
      {!feed.items && !feed.error && <Loading what={say('the events')} lines={10} />}
      {feed.items?.length === 0 && (
        <Empty title={text || schema || tag ? say('Nothing matches') : say('No events yet')} icon="crumbs">
          <p>
            {say(
              'Events are what happened: notes, requests, results, ticks. Tools write them and react to them.',
            )}
          </p>
        </Empty>
      )}
      {feed.items && feed.items.length > 0 && (
        <VirtualList label={say('Events')} items={feed.items} keyOf={(item) => item.id} rowClass="crumb-row">
          {(item) => <CrumbRow item={item} event={feed.latest.get(item.id)} />}
        </VirtualList>
      )}
      {feed.hasMore && <MoreBelow onSeen={feed.loadMore} />}
    </>
  )
}

type Choices = readonly (readonly [value: string, label: string])[]

function withChosen(choices: Choices, chosen: string): Choices {
  return chosen === '' || choices.some(([value]) => value === chosen)
    ? choices
    : [[chosen, chosen], ...choices]
}
