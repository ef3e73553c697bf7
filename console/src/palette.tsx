// Ctrl-K: everything by its name. Tools and pages are found while one types, runs and events by the server.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { askJson } from './api/client.ts'
import { signOut } from './api/session.ts'
import type { CrumbItem, RunSummary } from './api/types.ts'
import { pages, settingsTabs } from './pages/registry.ts'
import { Dialog } from './parts/dialog.tsx'
import { Icon, type IconName } from './parts/icon.tsx'
import { relativeTime } from './parts/time.tsx'
import { wantedRun } from './state/calls.ts'
import { rows } from './state/catalog.ts'
import { nextDensity } from './state/density.ts'
import { isAdmin } from './state/live.ts'
import { type Entry, indexEntries, toolIndex } from './state/palette-index.ts'
import { goTo, linkTo } from './state/route.ts'
import { nextTheme } from './state/theme.ts'
import { setLanguage } from './words/language.ts'
import { language, say, type Text } from './words/say.ts'

interface Hit {
  readonly key: string
  readonly icon: IconName
  readonly title: string
  readonly sub: string
  readonly link?: string
  /** What Ctrl-Enter runs. */
  readonly tool?: string
  /** What is done in place of going somewhere. */
  act?(): void
}

interface Found {
  readonly runs: readonly RunSummary[]
  readonly events: readonly CrumbItem[]
}

const nothing: Found = { runs: [], events: [] }
const mostAtFirst = 6
const mostTools = 8
const mostPlaces = 5

export function Palette({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('')
  const [found, setFound] = useState<Found>(nothing)
  const [at, setAt] = useState(0)
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    setAt(0)
    if (text.trim().length < 2) {
      setFound(nothing)
      return
    }
    const stop = new AbortController()
    const timer = setTimeout(() => {
      askJson<Found>(`/api/search?limit=5&q=${encodeURIComponent(text.trim())}`, {
        signal: stop.signal,
      }).then(setFound, () => {})
    }, 120)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [text])
  // Made before the first key is pressed.
  useEffect(() => void toolIndex(rows.value), [rows.value])
  const places = useMemo(placesNow, [language.value, isAdmin.value])
  const hits = [...localHits(text, places), ...serverHits(found)]
  const open = (hit: Hit | undefined, isRun: boolean) => {
    if (!hit) return
    onClose()
    hit.act?.()
    if (isRun && hit.tool !== undefined) wantedRun.value = hit.tool
    if (hit.link !== undefined) goTo(hit.link)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      const next = (at + step + hits.length) % Math.max(1, hits.length)
      setAt(next)
      list.current?.children[next]?.scrollIntoView({ block: 'nearest' })
    } else if (event.key === 'Enter') {
      event.preventDefault()
      open(hits[at], event.ctrlKey || event.metaKey)
    }
  }
  return (
    <Dialog title={say('Search')} onClose={onClose} isBare>
      <div class="palette">
        <div class="row palette-field">
          <Icon name="search" />
          <input
            class="grow"
            autofocus
            role="combobox"
            aria-expanded="true"
            aria-controls="palette-hits"
            aria-activedescendant={hits[at] ? `hit-${at}` : undefined}
            aria-label={say('Tools, runs, events, settings')}
            placeholder={say('Tools, runs, events, settings')}
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
            onKeyDown={onKeyDown}
          />
        </div>
        <div id="palette-hits" role="listbox" aria-label={say('Hits')} ref={list}>
          {hits.map((hit, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys
            <div
              key={hit.key}
              id={`hit-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === at}
              onClick={() => open(hit, false)}
              onMouseMove={() => setAt(index)}
            >
              <Icon name={hit.icon} />
              <span class="hit-title">{hit.title}</span>
              <span class="muted hit-sub">{hit.sub}</span>
            </div>
          ))}
        </div>
        {hits.length === 0 && <p class="muted palette-none">{say('Nothing matches')}</p>}
        <p class="palette-keys muted">
          <kbd>↵</kbd> {say('open')} <kbd>Ctrl ↵</kbd> {say('run')} <kbd>Esc</kbd> {say('close')}
        </p>
      </div>
    </Dialog>
  )
}

/** With nothing typed: some tools, all pages. */
function localHits(text: string, places: readonly PlaceEntry[]): Hit[] {
  const wanted = text.trim()
  const tools =
    wanted === ''
      ? rows.value.filter(({ listed }) => listed).slice(0, mostAtFirst)
      : toolIndex(rows.value)
          .find(wanted, mostTools)
          .map(({ row }) => row)
  const others = wanted === '' ? places.slice(0, pages.length) : indexEntries(places).find(wanted, mostPlaces)
  return [
    ...tools.map(({ id, description }) => ({
      key: `tool ${id}`,
      icon: 'tools' as const,
      title: id,
      sub: description,
      link: linkTo('tools', id),
      tool: id,
    })),
    ...others.map(({ hit }) => hit),
  ]
}

interface PlaceEntry extends Entry {
  readonly hit: Hit
}

/** Pages, settings and actions; each is also found by its English name. */
function placesNow(): PlaceEntry[] {
  const place = (title: Text, sub: Text, hit: Pick<Hit, 'icon' | 'link' | 'act'>): PlaceEntry => {
    const key = `${sub} ${title}`
    return {
      key,
      title: say(title),
      words: `${title} ${say(sub)}`,
      hit: { key, title: say(title), sub: say(sub), ...hit },
    }
  }
  const admin = isAdmin.value
  return [
    ...pages
      .filter(({ isForAdmins }) => !isForAdmins || admin)
      .map(({ key, title, icon }) => place(title, 'Page', { icon, link: linkTo(key) })),
    ...settingsTabs
      .filter(({ isForAdmins }) => !isForAdmins || admin)
      .map(({ key, label }) =>
        place(label, 'Settings', { icon: 'settings', link: linkTo('settings', '', { tab: key }) }),
      ),
    ...(admin
      ? [
          place('Add a server', 'Action', { icon: 'plus', link: linkTo('connect', '', { add: '1' }) }),
          place('Halt…', 'Action', { icon: 'stop', link: linkTo('settings', '', { tab: 'server' }) }),
        ]
      : []),
    place('Send an event', 'Action', { icon: 'crumbs', link: linkTo('events', '', { new: '1' }) }),
    place('Failed runs', 'Action', { icon: 'runs', link: linkTo('runs', '', { ok: 'false' }) }),
    place('Change the colours', 'Action', { icon: 'sun', act: nextTheme }),
    place('Low rows', 'Action', { icon: 'rows', act: nextDensity }),
    place('EN, change the language', 'Action', {
      icon: 'system',
      act: () => setLanguage(language.value === 'de' ? 'en' : 'de'),
    }),
    place('Sign out', 'Action', { icon: 'out', act: signOut }),
  ]
}

function serverHits({ runs, events }: Found): Hit[] {
  return [
    ...runs.map((run) => ({
      key: `run ${run.runId}`,
      icon: 'runs' as const,
      title: run.tool,
      sub: `${run.errorCode ?? say('ok')} · ${run.caller} · ${relativeTime(run.startedAt, Date.now())}`,
      link: linkTo('runs', run.runId),
    })),
    ...events.map((crumb) => ({
      key: `event ${crumb.id}`,
      icon: 'crumbs' as const,
      title: crumb.title,
      sub: crumb.schema_name ?? '',
      link: linkTo('events', crumb.id),
    })),
  ]
}
