// The frame round every page: sign-in first, then the rail and the page of the address.
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { hasEnded, token } from './api/session.ts'
import { Help } from './help.tsx'
import { watchKeys } from './keys.ts'
import { Outlet } from './outlet.tsx'
import { Dialog } from './parts/dialog.tsx'
import { lazy } from './parts/lazy.tsx'
import { clockTime } from './parts/time.tsx'
import { Rail } from './rail.tsx'
import { SignIn, TokenForm } from './sign-in.tsx'
import { lostAt, startLive } from './state/live.ts'
import { notices } from './state/notices.ts'
import { forgetAll } from './state/query.ts'
import './state/page-title.ts'
import './state/theme.ts'
import { say } from './words/say.ts'

/** Not needed for the first picture. */
const Palette = lazy(async () => (await import('./palette.tsx')).Palette)

export function App() {
  return token.value === null && !hasEnded.value ? <SignIn /> : <Shell />
}

function Shell() {
  const open = useSignal<'help' | 'palette' | null>(null)
  const given = token.value
  useEffect(() => (given === null ? undefined : startLive()), [given])
  useEffect(
    () =>
      watchKeys({
        onHelp: () => {
          open.value = 'help'
        },
        onPalette: () => {
          open.value = 'palette'
        },
      }),
    [],
  )
  // The next one who signs in sees nothing of this one.
  useEffect(() => forgetAll, [])
  const close = () => {
    open.value = null
  }
  return (
    <div class="shell">
      <button type="button" class="skip button" onClick={() => document.querySelector('main')?.focus()}>
        {say('Skip to content')}
      </button>
      <Rail
        onHelp={() => {
          open.value = 'help'
        }}
        onPalette={() => {
          open.value = 'palette'
        }}
      />
      <main tabIndex={-1} data-stale={lostAt.value !== null || undefined}>
        {lostAt.value !== null && (
          <div class="lost" role="alert">
            <span class="spinner" aria-hidden="true" />
            {say('Server not reachable since {time}, retrying', { time: clockTime(lostAt.value) })}
          </div>
        )}
        <Outlet />
      </main>
      <div class="notices" role="status" aria-live="polite">
        {notices.value.map((notice) => (
          <div key={notice.id} class="notice" data-error={notice.isError || undefined}>
            {notice.text}
          </div>
        ))}
      </div>
      {open.value === 'help' && <Help onClose={close} />}
      {open.value === 'palette' && <Palette onClose={close} />}
      {hasEnded.value && (
        <Dialog title={say('The session has ended')} onClose={() => {}}>
          <TokenForm note={say('The token expired or was taken away. What is on this page stays.')} />
        </Dialog>
      )}
    </div>
  )
}
