// What can be done about a foreign server from its row: connect anew, log in, read what it wrote.
import { useState } from 'preact/hooks'
import { askJson } from '../../api/client.ts'
import type { CatalogRow } from '../../api/types.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Failure } from '../../parts/failure.tsx'
import { showInvisible } from '../../parts/invisible.ts'
import { Loading } from '../../parts/loading.tsx'
import { LoginButton, serverToLogIn } from '../../parts/login-button.tsx'
import { Moment } from '../../parts/time.tsx'
import { loadCatalog } from '../../state/catalog.ts'
import { isAdmin } from '../../state/live.ts'
import { announce } from '../../state/notices.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import { say, sayKnown } from '../../words/say.ts'

export function ServerActions({ row }: { row: CatalogRow }) {
  const [isBusy, setBusy] = useState(false)
  const [isLogOpen, setLogOpen] = useState(false)
  const server = row.id.replace(/^mcp\//, '')
  const waiting = serverToLogIn(row)
  if (!isAdmin.value || row.state === 'disabled' || row.state === 'shadowed') return null
  const reconnect = async () => {
    setBusy(true)
    try {
      const path = `/api/servers/${encodeURIComponent(server)}/reconnect`
      const { problem } = await askJson<{ problem?: string }>(path, { method: 'POST' })
      announce(problem?.split('\n')[0] ?? say('{server} is connected.', { server }), problem !== undefined)
      await loadCatalog()
    } catch (error) {
      announce((error as Error).message, true)
    }
    setBusy(false)
  }
  return (
    <span class="row server-actions">
      {waiting !== undefined && <LoginButton server={waiting} isSmall />}
      <button type="button" class="button small" disabled={isBusy} onClick={reconnect}>
        {isBusy && <span class="spinner" aria-hidden="true" />}
        {say('Reconnect')}
      </button>
      <button type="button" class="button small" onClick={() => setLogOpen(true)}>
        {say('Log')}
      </button>
      {isLogOpen && <ServerLog server={server} onClose={() => setLogOpen(false)} />}
    </span>
  )
}

interface Line {
  readonly at: string
  readonly by: 'crib' | 'server'
  readonly text: string
}

function ServerLog({ server, onClose }: { server: string; onClose(): void }) {
  const { data, error, reload } = useLoaded(
    (signal) =>
      askJson<{ lines: readonly Line[] }>(`/api/servers/${encodeURIComponent(server)}/log`, { signal }),
    [server],
  )
  return (
    <Dialog title={say('Log of {server}', { server })} onClose={onClose}>
      <div class="stack">
        {error && <Failure error={error} onRetry={reload} />}
        {!data && !error && <Loading what={say('the log')} />}
        {data?.lines.length === 0 && (
          <p class="muted">{say('It wrote nothing since this server started.')}</p>
        )}
        {data && data.lines.length > 0 && (
          <ol
            class="server-log plain"
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
            tabIndex={0}
            aria-label={say('Log of {server}', { server })}
          >
            {data.lines.map((line, index) => (
              <li key={index} data-by={line.by}>
                <span class="muted">
                  <Moment moment={line.at} />
                </span>
                <span class="mono">
                  {line.by === 'crib' ? sayKnown(line.text) : showInvisible(line.text)}
                </span>
              </li>
            ))}
          </ol>
        )}
        <div class="row">
          <button type="button" class="button" onClick={reload}>
            {say('Refresh')}
          </button>
        </div>
      </div>
    </Dialog>
  )
}
