// What the tab of the browser says: the thing, its page, the product, and in title and icon how much waits for a person.
import { effect, signal } from '@preact/signals'
import { inboxCount } from './live.ts'

/** What the page shows, most particular first. */
export const titleParts = signal<readonly string[]>([])

effect(() => {
  const waiting = inboxCount.value
  document.title = `${waiting > 0 ? `(${waiting}) ` : ''}${[...titleParts.value, 'Toolcrib'].join(' · ')}`
  const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]')
  if (icon) icon.href = waiting > 0 ? iconWith(waiting > 9 ? '9+' : String(waiting)) : '/favicon.svg'
})

/** The mark of the product with a number over its corner. */
function iconWith(number: string): string {
  const picture = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0b5d73"/><path d="M4 6h14v3.200H12.700V24H9.300V9.200H4z" fill="#fff"/><circle cx="21.500" cy="20.500" r="10.500" fill="#f2b33d"/><text x="21.500" y="26" font-family="sans-serif" font-size="15" font-weight="700" text-anchor="middle" fill="#18202a">${number}</text></svg>`
  return `data:image/svg+xml,${encodeURIComponent(picture)}`
}
