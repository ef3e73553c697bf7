// Asks for the token, where the link of `toolcrib serve` was not used.
import { useState } from 'preact/hooks'
import { signIn } from './api/session.ts'

export function SignIn() {
  const [text, setText] = useState('')
  const [fault, setFault] = useState('')
  const [isChecking, setChecking] = useState(false)
  const submit = async (event: Event) => {
    event.preventDefault()
    const given = text.trim()
    if (given === '') {
      setFault('Paste the token first.')
      return
    }
    setChecking(true)
    try {
      const response = await fetch('/api/console/info', { headers: { authorization: `Bearer ${given}` } })
      if (response.ok) signIn(given)
      else setFault('The server does not know this token.')
    } catch {
      setFault('The server does not answer.')
    } finally {
      setChecking(false)
    }
  }
  return (
    <main class="sign-in">
      <form class="card" onSubmit={submit} noValidate>
        <header>
          <h1>Toolcrib</h1>
        </header>
        <div class="body stack">
          <p>
            Open the link that <code>toolcrib serve</code> printed, or paste its token. It is also in{' '}
            <code>.toolcrib/token</code>.
          </p>
          <label class="stack tight">
            <span>Token</span>
            <input
              class="input mono"
              type="password"
              autocomplete="off"
              value={text}
              aria-invalid={fault !== ''}
              aria-describedby="token-fault"
              onInput={(event) => setText(event.currentTarget.value)}
            />
          </label>
          <p id="token-fault" role="alert" class="field-fault">
            {fault}
          </p>
          <button class="button primary" type="submit" disabled={isChecking}>
            Open the console
          </button>
          <p class="muted">The token stays in this tab and is forgotten when it is closed.</p>
        </div>
      </form>
    </main>
  )
}
