// Ctrl-K: everything by its name. Tools and pages are found while one types, runs and events by the server.
import { useEffect, useRef, useState } from 'preact/hooks'
import { askJson } from './api/client.ts'
import type { CrumbItem, RunSummary } from './api/types.ts'
import { pages } from './pages/registry.ts'
import { Dialog } from './parts/dialog.tsx'
import { Icon, type IconName } from './parts/icon.tsx'
import { relativeTime } from './parts/time.tsx'
import { rows } from './state/catalog.ts'
import { goTo, linkTo } from './state/route.ts'
import { searchRows } from './state/search-rows.ts'
import { say } from './words/say.ts'

interface Hit {
  readonly key: string
  readonly icon: IconName
  readonly title: string
  readonly sub: string
  readonly link: string
  /** Where Ctrl-Enter leads. */
  readonly runLink?: string
}

interface Found {
  readonly runs: readonly RunSummary[]
  readonly events: readonly CrumbItem[]
}

const nothing: Found = { runs: [], events: [] }
const settings = [
  'Secrets',
  'Tokens',
  'Keys and trust',
  'Grants',
  'Tool settings',
  'Nodes',
  'This server',
] as const

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
  const hits = [...toolHits(text), ...pageHits(text), ...serverHits(found)]
  const open = (hit: Hit | undefined, isRun: boolean) => {
    if (!hit) return
    onClose()
    goTo((isRun ? hit.runLink : undefined) ?? hit.link)
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

function toolHits(text: string): Hit[] {
  return searchRows(rows.value, text, ({ listed }) => listed)
    .slice(0, text === '' ? 6 : 8)
    .map(({ id, description }) => ({
      key: `tool ${id}`,
      icon: 'tools',
      title: id,
      sub: description,
      link: linkTo('tools', id),
      runLink: linkTo('tools', id, { run: '1' }),
    }))
}

function pageHits(text: string): Hit[] {
  const places: Hit[] = [
    ...pages.map(({ key, title, icon }) => ({
      key: `page ${key}`,
      icon,
      title: say(title),
      sub: say('Page'),
      link: linkTo(key),
    })),
    ...settings.map((title) => ({
      key: `settings ${title}`,
      icon: 'settings' as const,
      title: say(title),
      sub: say('Settings'),
      link: linkTo('settings', '', { tab: settingsTab(title) }),
    })),
  ]
  const wanted = text.trim().toLowerCase()
  return places.filter(({ title }) => title.toLowerCase().includes(wanted)).slice(0, wanted === '' ? 7 : 5)
}

function settingsTab(title: (typeof settings)[number]): string {
  return {
    Secrets: 'secrets',
    Tokens: 'tokens',
    'Keys and trust': 'keys',
    Grants: 'grants',
    'Tool settings': 'tools',
    Nodes: 'nodes',
    'This server': 'server',
  }[title]
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
