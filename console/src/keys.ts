// The keyboard: `/` to the search field, `g` and a letter to a page, `?` for help. Never while one is typing.
import { pages } from './pages/registry.ts'
import { goTo, linkTo, route } from './state/route.ts'

const sequenceMs = 1_500

/** Listens until the function given back is called. */
export function watchKeys({ onHelp, onPalette }: { onHelp(): void; onPalette(): void }): () => void {
  let wentAt = 0
  const onKeyDown = (event: KeyboardEvent) => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
      event.preventDefault()
      if (!document.querySelector('dialog[open]')) onPalette()
      return
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === 'Escape' && isTyping(event.target)) {
      ;(event.target as HTMLElement).blur()
      return
    }
    if (isTyping(event.target) || document.querySelector('dialog[open]')) return
    const isSecond = Date.now() - wentAt < sequenceMs
    wentAt = 0
    if (isSecond) {
      const page = pages.find((each) => each.letter === event.key)
      if (page) {
        event.preventDefault()
        goTo(linkTo(page.key))
      }
      return
    }
    if (event.key === 'j' || event.key === 'k') moveInList(event.key === 'j' ? 1 : -1)
    else if (event.key === 'g') wentAt = Date.now()
    else if (event.key === '?') onHelp()
    else if (event.key === '/') {
      event.preventDefault()
      void focusSearch()
    }
  }
  addEventListener('keydown', onKeyDown)
  return () => removeEventListener('keydown', onKeyDown)
}

/** Moves the focus along the rows of the page; Enter opens the row, as it opens any link. */
function moveInList(step: number): void {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')]
  const at = rows.indexOf(document.activeElement as HTMLElement)
  const next = rows[at < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, at + step))]
  next?.focus()
  next?.scrollIntoView({ block: 'nearest' })
}

/** The search field of this page, or else of the tools. */
async function focusSearch(): Promise<void> {
  const field = () => document.querySelector<HTMLInputElement>('[data-search]')
  if (!field()) {
    if (route.value.page !== 'tools' || route.value.rest !== '') goTo(linkTo('tools'))
    for (let turn = 0; turn < 60 && !field(); turn++) await new Promise(requestAnimationFrame)
    // The page puts the focus on its heading first.
    await new Promise(requestAnimationFrame)
  }
  field()?.focus()
  field()?.select()
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(input|textarea|select)$/i.test(target.tagName))
  )
}
