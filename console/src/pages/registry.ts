// The pages, one line each: how they are reached and what loads them. All but the first come when asked for.
import type { ComponentType } from 'preact'
import type { IconName } from '../parts/icon.tsx'
import { CatalogPage } from './catalog/catalog-page.tsx'

export interface Page {
  readonly key: string
  readonly title: string
  readonly icon: IconName
  /** Pressed after `g`. */
  readonly letter: string
  load(): Promise<ComponentType>
}

export const pages: readonly Page[] = [
  { key: 'tools', title: 'Catalog', icon: 'tools', letter: 'c', load: async () => CatalogPage },
  {
    key: 'runs',
    title: 'Runs',
    icon: 'runs',
    letter: 'r',
    load: async () => (await import('./runs/runs-page.tsx')).RunsPage,
  },
  {
    key: 'crumbs',
    title: 'Crumbs',
    icon: 'crumbs',
    letter: 'b',
    load: async () => (await import('./crumbs/crumbs-page.tsx')).CrumbsPage,
  },
  {
    key: 'automation',
    title: 'Automation',
    icon: 'automation',
    letter: 'a',
    load: async () => (await import('./automation/automation-page.tsx')).AutomationPage,
  },
  {
    key: 'nodes',
    title: 'Nodes',
    icon: 'nodes',
    letter: 'n',
    load: async () => (await import('./nodes/nodes-page.tsx')).NodesPage,
  },
  {
    key: 'settings',
    title: 'Settings',
    icon: 'settings',
    letter: 's',
    load: async () => (await import('./settings/settings-page.tsx')).SettingsPage,
  },
]

/** Pages behind the list pages: one tool, one run, one crumb. */
export const detailPages: { readonly [key: string]: () => Promise<ComponentType> } = {
  tools: async () => (await import('./tool/tool-page.tsx')).ToolPage,
  runs: async () => (await import('./runs/run-page.tsx')).RunPage,
  crumbs: async () => (await import('./crumbs/crumb-page.tsx')).CrumbPage,
}
