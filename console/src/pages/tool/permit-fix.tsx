// The button that opens a stop of the permit.
import { useState } from 'preact/hooks'
import { askJson, idPath } from '../../api/client.ts'
import type { Permit } from '../../api/types.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { LoginButton } from '../../parts/login-button.tsx'
import { GrantDialog } from '../../parts/settings-dialog.tsx'
import { info, isAdmin } from '../../state/live.ts'
import { announce } from '../../state/notices.ts'
import { outdate } from '../../state/query.ts'
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
    sign: <SignButton tool={tool} />,
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

/** Signs the files of the tool with the user's key; where the console may change nothing, it copies the command. */
function SignButton({ tool }: { tool: string }) {
  if (info.value?.canEdit !== true)
    return (
      <CopyButton label={say('command')} text={`toolcrib sign ${tool}`}>
        {['toolcrib sign', tool].join(' ')}
      </CopyButton>
    )
  const sign = async () => {
    try {
      await askJson(`/api/console/sign/${idPath(tool)}`, { method: 'POST' })
      announce(say('{tool} signed', { tool }))
      outdate('catalog', 'approvals')
    } catch (error) {
      announce((error as Error).message, true)
    }
  }
  return (
    <button type="button" class="button small" onClick={sign}>
      {say('Sign')}
    </button>
  )
}
