// Going from page to page: the new page's heading gets the focus, the way back finds the old place again.

const places = new Map<string, number>()
let isFocusWanted = false
let here = location.hash
let isBack = false

interface NavigateEvent extends Event {
  readonly navigationType: string
}

const { navigation } = globalThis as { navigation?: EventTarget }
navigation?.addEventListener('navigate', (event) => {
  isBack = (event as NavigateEvent).navigationType === 'traverse'
})

document.addEventListener(
  'scroll',
  (event) => {
    if (event.target instanceof HTMLElement && event.target.tagName === 'MAIN')
      places.set(location.hash, event.target.scrollTop)
  },
  { capture: true, passive: true },
)

/** Called when the address changed to another page. */
export function arrived(): void {
  if (location.hash === here) return
  here = location.hash
  isFocusWanted = true
  const main = document.querySelector('main')
  const wanted = isBack ? (places.get(here) ?? 0) : 0
  isBack = false
  if (main) scrollBack(main, wanted, 30)
}

/** The page may still be loading: it is tried until it is long enough. */
function scrollBack(main: HTMLElement, wanted: number, turns: number): void {
  main.scrollTop = wanted
  if (Math.abs(main.scrollTop - wanted) > 2 && turns > 0)
    setTimeout(() => scrollBack(main, wanted, turns - 1), 30)
}

/** True once after every change of page. */
export function takeFocus(): boolean {
  const was = isFocusWanted
  isFocusWanted = false
  return was
}
