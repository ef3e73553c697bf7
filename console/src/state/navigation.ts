// Going from page to page: the new page's heading gets the focus, the way back finds the old place again.

const places = new Map<string, number>()
let isFocusWanted = false
let here = location.hash
let isBack = false
/** Set while the way back is not long enough yet for its old place. */
let restoring: MutationObserver | null = null

interface NavigateEvent extends Event {
  readonly navigationType: string
}

const { navigation } = globalThis as { navigation?: EventTarget }
navigation?.addEventListener('navigate', (event) => {
  keepPlace()
  isBack = (event as NavigateEvent).navigationType === 'traverse'
})
document.addEventListener('scroll', keepPlace, { capture: true, passive: true })

/** Until the new page has arrived, what scrolls is the old one, which shrinks as it goes: its place is kept before. */
function keepPlace(): void {
  const main = document.querySelector('main')
  if (main && !restoring && pathOf(location.hash) === pathOf(here)) places.set(location.hash, main.scrollTop)
}

for (const input of ['wheel', 'pointerdown', 'keydown'])
  document.addEventListener(input, giveUp, { capture: true, passive: true })

/** The address without its filters. */
function pathOf(hash: string): string {
  return hash.split('?')[0]!
}

/** Called when the address changed to another page. */
export function arrived(): void {
  if (location.hash === here) return
  here = location.hash
  isFocusWanted = true
  const main = document.querySelector('main')
  const wanted = isBack ? (places.get(here) ?? 0) : 0
  isBack = false
  if (main) scrollBack(main, wanted)
}

/** The page may still be loading: it is tried again as it grows, until it is long enough or somebody scrolls. */
function scrollBack(main: HTMLElement, wanted: number): void {
  giveUp()
  main.scrollTop = wanted
  const isThere = () => Math.abs(main.scrollTop - wanted) <= 2
  if (isThere()) return
  const observer = new MutationObserver(() => {
    main.scrollTop = wanted
    if (isThere()) giveUp()
  })
  restoring = observer
  observer.observe(main, { childList: true, subtree: true })
}

function giveUp(): void {
  restoring?.disconnect()
  restoring = null
}

/** True once after every change of page. */
export function takeFocus(): boolean {
  const was = isFocusWanted
  isFocusWanted = false
  return was
}
