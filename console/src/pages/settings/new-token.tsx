// Makes a token for somebody else: what it may do and how long, and its value this once.
import { useState } from 'preact/hooks'
import { askJson } from '../../api/client.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { announce } from '../../state/notices.ts'
import { say } from '../../words/say.ts'
import { NarrowToken, type TokenRights, tokenRights } from '../connect/narrow-token.tsx'

const noRights: TokenRights = { tools: '', grants: '', days: '' }

export function NewToken({ onMade }: { onMade(): void }) {
  const [name, setName] = useState('')
  const [rights, setRights] = useState(noRights)
  const [made, setMade] = useState<{ name: string; token: string } | null>(null)
  const make = async (event: Event) => {
    event.preventDefault()
    try {
      const body = { name: name.trim(), ...tokenRights(rights, Date.now()) }
      setMade(await askJson<{ name: string; token: string }>('/api/tokens', { method: 'POST', body }))
      setName('')
      onMade()
    } catch (error) {
      announce((error as Error).message, true)
    }
  }
  return (
    <form class="card" onSubmit={make} aria-label={say('Make a token')}>
      <div class="body stack">
        <div class="row wrap secret-row">
          <label>
            {say('Name')}
            <input
              class="input mono"
              autocomplete="off"
              value={name}
              onInput={(event) => setName(event.currentTarget.value)}
            />
          </label>
          <button type="submit" class="button primary" disabled={name.trim() === ''}>
            {say('Make a token')}
          </button>
        </div>
        <NarrowToken rights={rights} onChange={setRights} />
        {made && (
          <div class="callout" data-tone="warn" role="status">
            <strong>{say('The token is shown this once.')}</strong>
            <span class="row wrap">
              <code>{made.token}</code>
              <CopyButton label={say('Token')} text={made.token} />
            </span>
          </div>
        )}
      </div>
    </form>
  )
}
