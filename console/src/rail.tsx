// Where one can go, whether the server is there, and the switches that belong to the whole console.
import { pages } from './pages/registry.ts'
import { Icon, type IconName } from './parts/icon.tsx'
import { approvals, info, isConnected } from './state/live.ts'
import { linkTo, route } from './state/route.ts'
import { nextTheme, theme } from './state/theme.ts'

const themeIcons: Record<string, IconName> = { system: 'system', light: 'sun', dark: 'moon' }

export function Rail({ onHelp }: { onHelp: () => void }) {
  return (
    <header class="rail">
      <a class="brand" href={linkTo('tools')}>
        <Mark />
        Toolcrib
      </a>
      <nav aria-label="Main">
        <ul class="nav">
          {pages.map((page) => (
            <li key={page.key}>
              <a href={linkTo(page.key)} aria-current={route.value.page === page.key ? 'page' : undefined}>
                <Icon name={page.icon} />
                {page.title}
                {page.key === 'settings' && approvals.value.length > 0 && (
                  <span class="count" title="Calls that wait for approval">
                    {approvals.value.length}
                    <span class="unseen"> waiting for approval</span>
                  </span>
                )}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <div class="rail-foot">
        <Connection />
        <div class="row">
          <button
            type="button"
            class="button quiet small"
            aria-label={`Theme: ${theme.value}. Change it`}
            title={`Theme: ${theme.value}`}
            onClick={nextTheme}
          >
            <Icon name={themeIcons[theme.value]!} />
          </button>
          <button
            type="button"
            class="button quiet small"
            aria-label="Keyboard help"
            title="Keyboard (?)"
            onClick={onHelp}
          >
            <Icon name="help" />
          </button>
          {info.value && <span class="muted version">{info.value.version}</span>}
        </div>
      </div>
    </header>
  )
}

function Connection() {
  const state = isConnected.value === null ? 'opening' : isConnected.value ? 'open' : 'closed'
  const words = { opening: 'Connecting', open: 'Live', closed: 'Not connected' }[state]
  return (
    <span class="connection" data-state={state} role="status">
      {words}
    </span>
  )
}

function Mark() {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="#0b5d73" />
      <path d="M7 9h18v3.200h-7.300V25h-3.400V12.200H7z" fill="#fff" />
      <circle cx="23.500" cy="21.500" r="2.500" fill="#f2b33d" />
    </svg>
  )
}
