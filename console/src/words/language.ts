// The language of the reader: what was chosen here before, else that of the browser.
import { dictionary, type Language, language } from './say.ts'

const key = 'toolcrib-language'

/** Loads the words of the reader's language before anything is drawn. */
export function openLanguage(): Promise<void> {
  const stored = localStorage.getItem(key)
  const isKnown = stored === 'en' || stored === 'de'
  return load(isKnown ? stored : navigator.language?.toLowerCase().startsWith('de') ? 'de' : 'en')
}

export function setLanguage(next: Language): void {
  localStorage.setItem(key, next)
  void load(next)
}

async function load(next: Language): Promise<void> {
  dictionary.value = next === 'de' ? (await import('./de.ts')).words : {}
  language.value = next
  document.documentElement.lang = next
}
