// Light or dark: what the system prefers, unless the reader chose.
import { effect, signal } from '@preact/signals'

export type Theme = 'system' | 'light' | 'dark'

const key = 'toolcrib-theme'
const themes: readonly Theme[] = ['system', 'light', 'dark']

export const theme = signal<Theme>(stored())

function stored(): Theme {
  const value = localStorage.getItem(key) as Theme
  return themes.includes(value) ? value : 'system'
}

effect(() => {
  if (theme.value === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme.value
  localStorage.setItem(key, theme.value)
})

export function nextTheme(): void {
  theme.value = themes[(themes.indexOf(theme.value) + 1) % themes.length]!
}
