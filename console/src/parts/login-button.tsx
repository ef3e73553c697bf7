// Logs in to a server that wants it: first the server says where, then the person goes there, seeing the name of the
// place. What they come back to is this crib, and the page that shows this button follows by itself.
import { useState } from 'preact/hooks'
import { askJson } from '../api/client.ts'
import type { ServerLogin } from '../api/types.ts'
import { announce } from '../state/notices.ts'
import { outdate } from '../state/query.ts'
import { say } from '../words/say.ts'

export function LoginButton({ server, isSmall }: { server: string; isSmall?: boolean }) {
  const [page, setPage] = useState<string | null>(null)
  const size = isSmall ? ' small' : ''
  const begin = async () => {
    try {
      const path = `/api/servers/${encodeURIComponent(server)}/login`
      const { url } = await askJson<ServerLogin>(path, { method: 'POST' })
      if (url !== undefined) return setPage(url)
      announce(say('Logged in to {server}', { server }))
      outdate('approvals', 'catalog')
    } catch (error) {
      announce((error as Error).message, true)
    }
  }
  if (page !== null)
    return (
      <a class={`button primary${size}`} href={page} target="_blank" rel="noopener noreferrer">
        {say('Go on at {host}', { host: new URL(page).host })}
      </a>
    )
  return (
    <button type="button" class={`button${isSmall ? size : ' primary'}`} onClick={begin}>
      {say('Log in…')}
    </button>
  )
}

/** The server of a catalog entry that waits for a log-in. */
export function serverToLogIn({ id, problems = [] }: Waiting): string | undefined {
  return problems.some(({ code }) => code === 'mcp-login-needed') ? id.replace(/^mcp\//, '') : undefined
}

interface Waiting {
  readonly id: string
  readonly problems?: readonly { readonly code: string }[] | undefined
}
