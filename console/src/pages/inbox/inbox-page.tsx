// Everything that waits for a person: the list at the left, the one at hand at the right; one under the other on a phone.
import { useEffect } from 'preact/hooks'
import { Empty } from '../../parts/empty.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Heading } from '../../parts/heading.tsx'
import { Loading } from '../../parts/loading.tsx'
import { linkTo, route } from '../../state/route.ts'
import { say } from '../../words/say.ts'
import { InboxCard } from './inbox-card.tsx'
import { InboxLine } from './inbox-line.tsx'
import { useInbox } from './use-inbox.ts'
import './inbox.css'

export function InboxPage() {
  const { items, error, reload } = useInbox()
  const wanted = route.value.rest
  const chosen = items?.find(({ id }) => id === wanted) ?? (wanted === '' ? items?.[0] : undefined)
  useEffect(() => watchDecisionKeys(), [])
  return (
    <div class="page inbox-page" data-open={wanted !== '' || undefined}>
      <div class="page-head">
        <Heading>{say('Inbox')}</Heading>
        <span class="grow" />
        <AskForNotices />
      </div>
      {error && <Failure error={error} onRetry={reload} />}
      {!items && !error && <Loading what={say('what waits')} />}
      {items?.length === 0 && (
        <Empty title={say('Nothing waits for you')} icon="check">
          <p>
            {say(
              'Approvals, held changes, drifted tools, missing log-ins and secrets, and dead letters come here.',
            )}
          </p>
        </Empty>
      )}
      {items && items.length > 0 && (
        <div class="inbox">
          <nav aria-label={say('What waits')}>
            <ul class="lines">
              {items.map((item) => (
                <li key={item.id}>
                  <InboxLine item={item} isChosen={item === chosen} />
                </li>
              ))}
            </ul>
          </nav>
          {chosen ? (
            <div class="stack">
              <a class="inbox-back" href={linkTo('inbox')}>
                {say('All that waits')}
              </a>
              <InboxCard key={chosen.id} item={chosen} />
            </div>
          ) : (
            <Empty title={say('This is settled')} icon="check">
              <a href={linkTo('inbox')}>{say('All that waits')}</a>
            </Empty>
          )}
        </div>
      )}
    </div>
  )
}

/** `a` approves and `d` denies what is open. */
function watchDecisionKeys(): () => void {
  const onKeyDown = (event: KeyboardEvent) => {
    const target = event.target as HTMLElement
    if (event.ctrlKey || event.metaKey || event.altKey || /^(input|textarea|select)$/i.test(target.tagName))
      return
    if (document.querySelector('dialog[open]')) return
    document.querySelector<HTMLButtonElement>(`[data-decide] [data-key="${CSS.escape(event.key)}"]`)?.click()
  }
  addEventListener('keydown', onKeyDown)
  return () => removeEventListener('keydown', onKeyDown)
}

function AskForNotices() {
  if (!('Notification' in window) || Notification.permission !== 'default') return null
  return (
    <button type="button" class="button small" onClick={() => void Notification.requestPermission()}>
      {say('Notify me')}
    </button>
  )
}
