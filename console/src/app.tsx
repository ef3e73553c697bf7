// The frame round every page: sign-in first, then the rail and the page of the address.
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { token } from './api/session.ts'
import { Help } from './help.tsx'
import { watchKeys } from './keys.ts'
import { Outlet } from './outlet.tsx'
import { Rail } from './rail.tsx'
import { SignIn } from './sign-in.tsx'
import { startLive } from './state/live.ts'
import { notices } from './state/notices.ts'
import './state/theme.ts'

export function App() {
  return token.value === null ? <SignIn /> : <Shell />
}

function Shell() {
  const isHelpOpen = useSignal(false)
  useEffect(() => startLive(), [])
  useEffect(
    () =>
      watchKeys(() => {
        isHelpOpen.value = true
      }),
    [],
  )
  return (
    <div class="shell">
      <button type="button" class="skip button" onClick={() => document.querySelector('main')?.focus()}>
        Skip to content
      </button>
      <Rail
        onHelp={() => {
          isHelpOpen.value = true
        }}
      />
      <main tabIndex={-1}>
        <Outlet />
      </main>
      <div class="notices" role="status" aria-live="polite">
        {notices.value.map((notice) => (
          <div key={notice.id} class="notice" data-error={notice.isError || undefined}>
            {notice.text}
          </div>
        ))}
      </div>
      {isHelpOpen.value && (
        <Help
          onClose={() => {
            isHelpOpen.value = false
          }}
        />
      )}
    </div>
  )
}
