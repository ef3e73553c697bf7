// Work that was given up: why, with what, and the way to try it again.
import { askJson } from '../../api/client.ts'
import type { FullCrumb } from '../../api/types.ts'
import { Empty } from '../../parts/empty.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Loading } from '../../parts/loading.tsx'
import { ValueView } from '../../result/value-view.tsx'
import { useLoaded } from '../../state/use-loaded.ts'
import { say } from '../../words/say.ts'
import { type DeadLetter, LetterCard } from '../inbox/letter-card.tsx'
import { useInbox } from '../inbox/use-inbox.ts'
import '../automation/automation.css'

export function DeadLettersTab() {
  const { items, error, reload } = useInbox()
  if (error && !items) return <Failure error={error} onRetry={reload} />
  if (!items) return <Loading what={say('the dead letters')} lines={4} />
  const letters = items.filter((item): item is DeadLetter => item.kind === 'dead-letter')
  if (letters.length === 0)
    return (
      <Empty title={say('No dead letters')} icon="check">
        <p>{say('What a tool gives up after all its tries comes here, with its reason.')}</p>
      </Empty>
    )
  return (
    <ul class="lines" aria-label={say('Dead letters')}>
      {letters.map((item) => (
        <li key={item.id} class="stack tight dead-letter">
          <LetterCard item={item} />
          <Payload crumb={item.crumb} />
        </li>
      ))}
    </ul>
  )
}

function Payload({ crumb }: { crumb: string }) {
  const { data, error } = useLoaded(
    (signal) => askJson<FullCrumb>(`/breadcrumbs/${encodeURIComponent(crumb)}/full`, { signal }),
    [crumb],
  )
  if (error || !data) return null
  return (
    <details>
      <summary>{say('Payload')}</summary>
      <ValueView value={data.context} name={say('Payload')} />
    </details>
  )
}
