// Where one can go, whether the server is there, and the switches that belong to the whole console.
import { signOut } from './api/session.ts'
import { useInbox } from './pages/inbox/use-inbox.ts'
import { pages } from './pages/registry.ts'
import { Icon, type IconName } from './parts/icon.tsx'
import { density, nextDensity } from './state/density.ts'
import { inboxCount, info, isAdmin, isConnected } from './state/live.ts'
import { linkTo, route } from './state/route.ts'
import { nextTheme, theme } from './state/theme.ts'
import { setLanguage } from './words/language.ts'
import { language, say, sayMany } from './words/say.ts'

const themeIcons: Record<string, IconName> = { system: 'system', light: 'sun', dark: 'moon' }

export function Rail({ onHelp, onPalette }: { onHelp: () => void; onPalette: () => void }) {
  // The count is right on every page.
  useInbox()
  return (
    <header class="rail">
      <a class="brand" href={linkTo('home')}>
        <Mark />
        Toolcrib
      </a>
      <button type="button" class="find" onClick={onPalette}>
        <Icon name="search" />
        <span class="grow">{say('Search')}</span>
        <kbd>Ctrl K</kbd>
      </button>
      <nav aria-label={say('Main')}>
        <ul class="nav">
          {pages
            .filter((page) => !page.isForAdmins || isAdmin.value || info.value === null)
            .map((page) => (
              <li key={page.key}>
                <a href={linkTo(page.key)} aria-current={route.value.page === page.key ? 'page' : undefined}>
                  <Icon name={page.icon} />
                  {say(page.title)}
                  {page.key === 'inbox' && inboxCount.value > 0 && (
                    <span class="count">
                      {inboxCount.value}
                      <span class="unseen">
                        {' '}
                        {sayMany(inboxCount.value, 'thing waits for you', 'things wait for you')}
                      </span>
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
            class="button quiet small find-small"
            aria-label={say('Search')}
            title={say('Search')}
            onClick={onPalette}
          >
            <Icon name="search" />
          </button>
          <button
            type="button"
            class="button quiet small"
            aria-label={say('Theme: {theme}. Change it', { theme: say(theme.value) })}
            title={say('Theme: {theme}. Change it', { theme: say(theme.value) })}
            onClick={nextTheme}
          >
            <Icon name={themeIcons[theme.value]!} />
          </button>
          <button
            type="button"
            class="button quiet small"
            aria-pressed={density.value === 'dense'}
            aria-label={say('Low rows')}
            title={say('Low rows')}
            onClick={nextDensity}
          >
            <Icon name="rows" />
          </button>
          <button
            type="button"
            class="button quiet small"
            aria-label={say('EN, change the language')}
            title={say('EN, change the language')}
            onClick={() => setLanguage(language.value === 'de' ? 'en' : 'de')}
          >
            {language.value.toUpperCase()}
          </button>
          <button
            type="button"
            class="button quiet small"
            aria-label={say('Keyboard help')}
            title={say('Keyboard help')}
            onClick={onHelp}
          >
            <Icon name="help" />
          </button>
          <button
            type="button"
            class="button quiet small"
            aria-label={say('Sign out')}
            title={say('Sign out')}
            onClick={signOut}
          >
            <Icon name="out" />
          </button>
        </div>
      </div>
    </header>
  )
}

function Connection() {
  const state = isConnected.value === null ? 'opening' : isConnected.value ? 'open' : 'closed'
  const words = { opening: say('Connecting'), open: say('Live'), closed: say('Not connected') }[state]
  return (
    <span class="connection" data-state={state}>
      {words}
      {info.value && <span class="version">{info.value.version}</span>}
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
