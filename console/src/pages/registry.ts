// The pages, one line each: how they are reached and what loads them. All but the first come when asked for.
import type { ComponentType } from 'preact'
import type { IconName } from '../parts/icon.tsx'
import type { Text } from '../words/say.ts'
import { HomePage } from './home/home-page.tsx'

export interface Page {
  readonly key: string
  readonly title: Text
  readonly icon: IconName
  /** Pressed after `g`. */
  readonly letter: string
  /** Shows nothing to a token that is no admin. */
  readonly isForAdmins?: boolean
  load(): Promise<ComponentType>
}

export const pages: readonly Page[] = [
  { key: 'home', title: 'Home', icon: 'home', letter: 'h', load: async () => HomePage },
  {
    key: 'tools',
    title: 'Tools',
    icon: 'tools',
    letter: 't',
    load: async () => (await import('./catalog/catalog-page.tsx')).CatalogPage,
  },
  {
    key: 'runs',
    title: 'Runs',
    icon: 'runs',
    letter: 'r',
    load: async () => (await import('./runs/runs-page.tsx')).RunsPage,
  },
  {
    key: 'events',
    title: 'Events',
    icon: 'crumbs',
    letter: 'e',
    load: async () => (await import('./events/events-page.tsx')).EventsPage,
  },
  {
    key: 'inbox',
    title: 'Inbox',
    icon: 'inbox',
    letter: 'i',
    isForAdmins: true,
    load: async () => (await import('./inbox/inbox-page.tsx')).InboxPage,
  },
  {
    key: 'connect',
    title: 'Connect',
    icon: 'connect',
    letter: 'c',
    isForAdmins: true,
    load: async () => (await import('./connect/connect-page.tsx')).ConnectPage,
  },
  {
    key: 'settings',
    title: 'Settings',
    icon: 'settings',
    letter: 's',
    load: async () => (await import('./settings/settings-page.tsx')).SettingsPage,
  },
]

/** Pages behind the list pages: one tool, one run, one thread, one event, one change, two runs. */
export const detailPages: { readonly [key: string]: () => Promise<ComponentType> } = {
  tools: async () => (await import('./tool/tool-page.tsx')).ToolPage,
  runs: async () => (await import('./runs/run-page.tsx')).RunPage,
  threads: async () => (await import('./thread/thread-page.tsx')).ThreadPage,
  events: async () => (await import('./crumbs/crumb-page.tsx')).CrumbPage,
  inbox: async () => (await import('./inbox/inbox-page.tsx')).InboxPage,
  compare: async () => (await import('./runs/compare-page.tsx')).ComparePage,
  review: async () => (await import('./review/review-page.tsx')).ReviewPage,
}

export interface SettingsTab {
  readonly key: string
  readonly label: Text
  readonly isForAdmins?: boolean
}

/** The parts of the settings, also found by the palette. */
export const settingsTabs: readonly SettingsTab[] = [
  { key: 'tools', label: 'Tool settings' },
  { key: 'keys', label: 'Keys and trust' },
  { key: 'secrets', label: 'Secrets', isForAdmins: true },
  { key: 'tokens', label: 'Tokens', isForAdmins: true },
  { key: 'grants', label: 'Grants', isForAdmins: true },
  { key: 'nodes', label: 'Nodes', isForAdmins: true },
  { key: 'server', label: 'This server', isForAdmins: true },
]
