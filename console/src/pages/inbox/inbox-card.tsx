// Everything about one thing that waits, with the way to settle it.
import { useState } from 'preact/hooks'
import { askJson } from '../../api/client.ts'
import type { InboxItem } from '../../api/types.ts'
import { ChangesPanel } from '../../parts/changes-panel.tsx'
import { LoginButton } from '../../parts/login-button.tsx'
import { ProblemList } from '../../parts/problem-list.tsx'
import { GrantDialog } from '../../parts/settings-dialog.tsx'
import { Ago } from '../../parts/time.tsx'
import { announce } from '../../state/notices.ts'
import { outdate } from '../../state/query.ts'
import { linkTo } from '../../state/route.ts'
import { say, sayMany } from '../../words/say.ts'
import { ApprovalCard } from './approval-card.tsx'
import { sentenceOf } from './inbox-line.tsx'
import { LetterCard } from './letter-card.tsx'

export function InboxCard({ item }: { item: InboxItem }) {
  return (
    <article class="inbox-card stack" aria-label={sentenceOf(item)}>
      <h2>{sentenceOf(item)}</h2>
      {item.kind === 'approval' && <ApprovalCard item={item} />}
      {item.kind === 'held' && <HeldCard item={item} />}
      {item.kind === 'drift' && <DriftCard item={item} />}
      {item.kind === 'broken' && <BrokenCard item={item} />}
      {item.kind === 'secret' && <SecretCard item={item} />}
      {item.kind === 'login' && <LoginCard item={item} />}
      {item.kind === 'grant' && <GrantCard item={item} />}
      {item.kind === 'dead-letter' && <LetterCard item={item} />}
    </article>
  )
}

type Of<Kind extends InboxItem['kind']> = Extract<InboxItem, { kind: Kind }>

function HeldCard({ item }: { item: Of<'held'> }) {
  return (
    <>
      <p class="row wrap">
        <a class="mono" href={linkTo('tools', item.tool)}>
          {item.tool}
        </a>
        <span class="muted">
          <Ago moment={item.at} />
        </span>
        <a href={linkTo('threads', item.run)}>{say('See the thread')}</a>
      </p>
      <ChangesPanel runId={item.run} />
    </>
  )
}

function DriftCard({ item }: { item: Of<'drift'> }) {
  return (
    <>
      <ul class="lines plain">
        {item.changes.map((change) => (
          <li key={change.field} class="line">
            <span class="badge" data-tone={change.risk === 'high' ? 'bad' : 'warn'}>
              {say(`risk: ${change.risk}`)}
            </span>
            <span class="grow">{change.what}</span>
          </li>
        ))}
      </ul>
      <div class="row">
        <a class="button primary" href={linkTo('review', item.tool)}>
          {say('Review the change')}
        </a>
      </div>
    </>
  )
}

function BrokenCard({ item }: { item: Of<'broken'> }) {
  return (
    <>
      <ProblemList problems={item.problems} />
      <div class="row">
        <a class="button" href={linkTo('tools', item.tool, { tab: 'code' })}>
          {say('Show the code')}
        </a>
      </div>
    </>
  )
}

function SecretCard({ item }: { item: Of<'secret'> }) {
  const [value, setValue] = useState('')
  const store = async (event: Event) => {
    event.preventDefault()
    try {
      await askJson('/secrets', { method: 'POST', body: { name: item.name, value } })
      announce(say('{name} stored', { name: item.name }))
      outdate('settings', 'approvals')
    } catch (error) {
      announce((error as Error).message, true)
    }
  }
  return (
    <>
      <p>
        {say('Named by')}{' '}
        {item.tools.map((tool) => (
          <a key={tool} class="mono" href={linkTo('tools', tool)}>
            {tool}{' '}
          </a>
        ))}
      </p>
      <form class="row wrap" onSubmit={store}>
        <input
          class="input grow"
          type="password"
          autocomplete="off"
          required
          aria-label={say('Value of {name}', { name: item.name })}
          placeholder={say('Value of {name}', { name: item.name })}
          value={value}
          onInput={(event) => setValue(event.currentTarget.value)}
        />
        <button type="submit" class="button primary">
          {say('Store')}
        </button>
      </form>
    </>
  )
}

function LoginCard({ item }: { item: Of<'login'> }) {
  return (
    <>
      <p>{item.message}</p>
      <p class="muted">{item.hint}</p>
      <div class="row wrap">
        <LoginButton server={item.server} />
        <a class="button" href={linkTo('tools', item.tool)}>
          {say('Show the server')}
        </a>
      </div>
    </>
  )
}

function GrantCard({ item: { tool, proposal } }: { item: Of<'grant'> }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <p class="muted">
        {sayMany(proposal.count, 'Denied {n} time, last', 'Denied {n} times, last')}{' '}
        <Ago moment={proposal.lastAt} />
      </p>
      <pre class="code-block wrap">{proposal.change.join('\n')}</pre>
      {proposal.refused.map(({ what, why }) => (
        <p key={what} class="muted">
          {say('Not proposed: {what}', { what })} ({why})
        </p>
      ))}
      <div class="row wrap">
        <button type="button" class="button primary" onClick={() => setOpen(true)}>
          {say('Grant…')}
        </button>
        <a class="button" href={linkTo('tools', tool)}>
          {say('Show the tool')}
        </a>
      </div>
      {isOpen && <GrantDialog pattern={tool} names={proposal.grants} onClose={() => setOpen(false)} />}
    </>
  )
}
