// A dead letter: why the work was given up, and what can be done about it.
import { ask } from '../../api/client.ts'
import type { InboxItem } from '../../api/types.ts'
import { Ago } from '../../parts/time.tsx'
import { announce } from '../../state/notices.ts'
import { outdate } from '../../state/query.ts'
import { linkTo } from '../../state/route.ts'
import { say } from '../../words/say.ts'

export type DeadLetter = Extract<InboxItem, { kind: 'dead-letter' }>

export function LetterCard({ item }: { item: DeadLetter }) {
  const act = async (path: string, method: string, said: string) => {
    const answer = await ask(path, { method })
    announce(answer.ok ? said : say('The server refused.'), !answer.ok)
    outdate('approvals', 'events')
  }
  return (
    <>
      <p>
        <code>{item.code}</code> {item.message}
      </p>
      <p class="muted">
        <Ago moment={item.at} />
      </p>
      <div class="row wrap">
        {item.request !== undefined && (
          <button
            type="button"
            class="button primary"
            onClick={() => act(`/requests/${item.request}/retry`, 'POST', say('Asked again'))}
          >
            {say('Retry')}
          </button>
        )}
        <a class="button" href={linkTo('threads', item.crumb)}>
          {say('See the thread')}
        </a>
        <button
          type="button"
          class="button quiet"
          onClick={() => act(`/breadcrumbs/${item.crumb}`, 'DELETE', say('Put away'))}
        >
          {say('Put away')}
        </button>
      </div>
    </>
  )
}
