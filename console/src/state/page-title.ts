// What the tab of the browser says: the thing, its page, the product, and how much waits for a person.
import { effect, signal } from '@preact/signals'
import { inboxCount } from './live.ts'

/** What the page shows, most particular first. */
export const titleParts = signal<readonly string[]>([])

effect(() => {
  const waiting = inboxCount.value
  document.title = `${waiting > 0 ? `(${waiting}) ` : ''}${[...titleParts.value, 'Toolcrib'].join(' · ')}`
})
