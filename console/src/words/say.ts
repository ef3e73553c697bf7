// The words of the console. English is written where it is used and is the key; `de.ts` has the German of every text.
// A test fails when one is missing there.
import { signal } from '@preact/signals'

export type Language = 'en' | 'de'
export type Values = { readonly [name: string]: string | number }

const key = 'toolcrib-language'

export const language = signal<Language>(chosenLanguage())
const dictionary = signal<{ readonly [text: string]: string }>({})

function chosenLanguage(): Language {
  const stored = localStorage.getItem(key)
  if (stored === 'en' || stored === 'de') return stored
  return navigator.language?.toLowerCase().startsWith('de') ? 'de' : 'en'
}

/** Loads the words of the chosen language before anything is drawn. */
export async function loadWords(): Promise<void> {
  dictionary.value = language.value === 'de' ? (await import('./de.ts')).words : {}
  document.documentElement.lang = language.value
}

export function setLanguage(next: Language): void {
  localStorage.setItem(key, next)
  language.value = next
  void loadWords()
}

/** A text in the reader's language; `{name}` stands for a value, numbers are written as the reader writes them. */
export function say(text: string, values?: Values): string {
  const said = dictionary.value[text] ?? text
  if (!values) return said
  return said.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name]
    return value === undefined ? whole : typeof value === 'number' ? count(value) : value
  })
}

/** One of two texts, by the number; `{n}` is the number. */
export function sayMany(n: number, one: string, many: string): string {
  return say(n === 1 ? one : many, { n })
}

const numbers = new Map<Language, Intl.NumberFormat>()

export function count(value: number): string {
  const known =
    numbers.get(language.value) ?? new Intl.NumberFormat(language.value, { maximumFractionDigits: 1 })
  numbers.set(language.value, known)
  return known.format(value)
}
