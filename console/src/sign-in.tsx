// Asks for the token, where the link of `toolcrib serve` was not used.
import { useState } from 'preact/hooks'
import { signIn } from './api/session.ts'
import { say } from './words/say.ts'

export function SignIn() {
  return (
    <main class="sign-in">
      <div class="card">
        <header>
          <h1>Toolcrib</h1>
        </header>
        <div class="body">
          <TokenForm
            note={say(
              'Open the link that `toolcrib serve` printed, or paste its token. It is also in .toolcrib/token.',
            )}
          />
        </div>
      </div>
    </main>
  )
}

export function TokenForm({ note }: { note: string }) {
  const [text, setText] = useState('')
  const [fault, setFault] = useState('')
  const [isChecking, setChecking] = useState(false)
  const submit = async (event: Event) => {
    event.preventDefault()
    const given = text.trim()
    if (given === '') {
      setFault(say('Paste the token first.'))
      return
    }
    setChecking(true)
    try {
      const response = await fetch('/api/console/info', { headers: { authorization: `Bearer ${given}` } })
      if (response.ok) signIn(given)
      else setFault(say('The server does not know this token.'))
    } catch {
      setFault(say('The server does not answer.'))
    } finally {
      setChecking(false)
    }
  }
  return (
    <form class="stack" onSubmit={submit} noValidate>
      <p>{note}</p>
      <label class="stack tight">
        <span>{say('Token')}</span>
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
        {say('Open the console')}
      </button>
      <p class="muted">
        {say('The token stays in this browser’s tabs and is forgotten when they are closed.')}
      </p>
    </form>
  )
}
