// Gives a secret a new value. The old one is not shown and is gone.
import { useState } from 'preact/hooks'
import { askJson } from '../../api/client.ts'
import type { SecretInfo } from '../../api/types.ts'
import { announce } from '../../state/notices.ts'
import { say } from '../../words/say.ts'

export function NewValue({ secret, onSaved }: { secret: SecretInfo; onSaved(): void }) {
  const [isOpen, setOpen] = useState(false)
  const [value, setValue] = useState('')
  const save = async (event: Event) => {
    event.preventDefault()
    try {
      await askJson(`/secrets/${secret.id}`, { method: 'PUT', body: { value } })
      announce(say('{name} stored', { name: secret.name }))
      setValue('')
      setOpen(false)
      onSaved()
    } catch (error) {
      announce((error as Error).message, true)
    }
  }
  if (!isOpen)
    return (
      <button type="button" class="button small" onClick={() => setOpen(true)}>
        {say('New value…')}
        <span class="unseen"> {secret.name}</span>
      </button>
    )
  return (
    <form class="row" onSubmit={save}>
      <input
        class="input short"
        type="password"
        autocomplete="new-password"
        aria-label={say('Value of {name}', { name: secret.name })}
        value={value}
        onInput={(event) => setValue(event.currentTarget.value)}
      />
      <button type="submit" class="button small primary" disabled={value === ''}>
        {say('Store')}
      </button>
      <button type="button" class="button small quiet" onClick={() => setOpen(false)}>
        {say('Cancel')}
      </button>
    </form>
  )
}
