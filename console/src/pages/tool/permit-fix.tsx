// The button that opens a stop of the permit.
import { useState } from 'preact/hooks'
import type { Permit } from '../../api/types.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { LoginButton } from '../../parts/login-button.tsx'
import { GrantDialog } from '../../parts/settings-dialog.tsx'
import { isAdmin } from '../../state/live.ts'
import { linkTo } from '../../state/route.ts'
import { say } from '../../words/say.ts'

type Refusal = Permit['stops'][number]['refusals'][number]

/** What a token may not do is absent. */
export function PermitFix({ tool, refusal }: { tool: string; refusal: Refusal }) {
  const [isOpen, setOpen] = useState(false)
  const { fix, hint } = refusal
  const byKind = {
    grant: (
      <button type="button" class="button small" onClick={() => setOpen(true)}>
        {say('Grant…')}
      </button>
    ),
    accept: (
      <a class="button small" href={linkTo('review', tool)}>
        {say('Review the change')}
      </a>
    ),
    secret: (
      <a class="button small" href={linkTo('settings', '', { tab: 'secrets' })}>
        {say('Store secret')}
      </a>
    ),
    approve: (
      <a class="button small" href={linkTo('inbox')}>
        {say('Inbox')}
      </a>
    ),
    settings: (
      <a class="button small" href={linkTo('settings', '', { tab: 'tools', tool })}>
        {say('Settings')}
      </a>
    ),
    sign: (
      <CopyButton label={say('command')} text={`toolcrib sign ${tool}`}>
        {['toolcrib sign', tool].join(' ')}
      </CopyButton>
    ),
    login: fix?.names[0] === undefined ? null : <LoginButton server={fix.names[0]} isSmall />,
    params: null,
  }
  return (
    <>
      {hint && <p class="muted">{hint}</p>}
      {fix && isAdmin.value && <div class="row">{byKind[fix.kind]}</div>}
      {isOpen && fix && <GrantDialog pattern={tool} names={fix.names} onClose={() => setOpen(false)} />}
    </>
  )
}
