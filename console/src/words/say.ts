// The words of the console, one file for each language. A text is named by its English, which `en.ts` lists; the other
// files have one text for each of these, or the types do not fit.
import { signal } from '@preact/signals'
import type { Text } from './en.ts'

export type { Text } from './en.ts'

export type Language = 'en' | 'de'
export type Values = { readonly [name: string]: string | number }

export const language = signal<Language>('en')
/** What `language.ts` loaded; empty for English. */
export const dictionary = signal<{ readonly [text: string]: string }>({})

/** A text in the reader's language; `{name}` stands for a value, numbers are written as the reader writes them. */
export function say(text: Text, values?: Values): string {
  const said = sayKnown(text)
  if (!values) return said
  return said.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name]
    return value === undefined ? whole : typeof value === 'number' ? count(value) : value
  })
}

/** A word that the server chose, such as a state: in the reader's language where it has one, else as it came. */
export function sayKnown(word: string): string {
  const words = dictionary.value
  return Object.hasOwn(words, word) ? words[word]! : word
}

/** One of two texts, by the number; `{n}` is the number. */
export function sayMany(n: number, one: Text, many: Text): string {
  return say(n === 1 ? one : many, { n })
}

const numbers = new Map<Language, Intl.NumberFormat>()

export function count(value: number): string {
  const known =
    numbers.get(language.value) ?? new Intl.NumberFormat(language.value, { maximumFractionDigits: 1 })
  numbers.set(language.value, known)
  return known.format(value)
}
