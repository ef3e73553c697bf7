// One thing that waits, as a line that leads to it.
import type { InboxItem } from '../../api/types.ts'
import { Icon, type IconName } from '../../parts/icon.tsx'
import { linkTo } from '../../state/route.ts'
import { say, sayMany } from '../../words/say.ts'
import { ExpiresIn } from './expires-in.tsx'

const inboxIcons: { readonly [kind in InboxItem['kind']]: IconName } = {
  approval: 'clock',
  held: 'runs',
  drift: 'shield',
  broken: 'alert',
  secret: 'key',
  login: 'out',
  grant: 'shield',
  'dead-letter': 'crumbs',
}

export function InboxLine({ item, isChosen }: { item: InboxItem; isChosen?: boolean }) {
  return (
    <a
      class="line"
      href={linkTo('inbox', item.id)}
      data-row
      data-kind={item.kind}
      aria-current={isChosen ? 'true' : undefined}
    >
      <Icon name={inboxIcons[item.kind]} />
      <span class="grow cut">{sentenceOf(item)}</span>
      {item.kind === 'approval' && <ExpiresIn at={item.approval.expiresAt} />}
    </a>
  )
}

/** What waits, in one sentence. */
export function sentenceOf(item: InboxItem): string {
  const { tool } = item
  if (item.kind === 'approval')
    return say('{caller} wants to run {tool}', { tool, caller: item.approval.caller })
  if (item.kind === 'held')
    return sayMany(item.files, '{tool} wants to change {n} file', '{tool} wants to change {n} files').replace(
      '{tool}',
      tool,
    )
  if (item.kind === 'drift') return say('{tool} is not what was approved', { tool })
  if (item.kind === 'broken') return say('{tool} is broken', { tool })
  if (item.kind === 'secret')
    return sayMany(
      item.tools.length,
      '{n} tool lacks the secret {name}',
      '{n} tools lack the secret {name}',
    ).replace('{name}', item.name)
  if (item.kind === 'login') return say('{server} wants a log-in', { server: item.server })
  if (item.kind === 'grant')
    return say('{tool} was denied {names}', { tool, names: item.proposal.grants.join(', ') })
  return say('{tool} gave up after {n} attempts', { tool, n: item.attempts })
}
