// Stores a secret, or replaces nothing: a name that is taken in its scope is refused by the server.
import { useState } from 'preact/hooks'
import { type ApiError, askJson } from '../../api/client.ts'
import { Failure } from '../../parts/failure.tsx'
import { announce } from '../../state/notices.ts'
import { say } from '../../words/say.ts'

export function NewSecret({ suggested, onSaved }: { suggested: string; onSaved: () => void }) {
  const [name, setName] = useState(suggested)
  const [value, setValue] = useState('')
  const [error, setError] = useState<ApiError | null>(null)
  const save = async (event: Event) => {
    event.preventDefault()
    try {
      await askJson('/secrets', { method: 'POST', body: { name: name.trim(), value } })
      announce(say('{name} stored', { name: name.trim() }))
      setName('')
      setValue('')
      setError(null)
      onSaved()
    } catch (thrown) {
      setError(thrown as ApiError)
    }
  }
  return (
    <form class="card" onSubmit={save} aria-label={say('Store a secret')}>
      <div class="body stack">
        {error && <Failure error={error} />}
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
          <label>
            {say('Value')}
            <input
              class="input"
              type="password"
              autocomplete="new-password"
              value={value}
              onInput={(event) => setValue(event.currentTarget.value)}
            />
          </label>
          <button type="submit" class="button primary" disabled={name.trim() === '' || value === ''}>
            {say('Store')}
          </button>
        </div>
      </div>
    </form>
  )
}
