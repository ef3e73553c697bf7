// A long list of rows of one height: only what can be seen is in the document. It scrolls with the page, and
// screen readers are told the place of each row and the length of the whole.
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { density } from '../state/density.ts'

interface VirtualListProps<T> {
  readonly label: string
  readonly items: readonly T[]
  keyOf(item: T): string
  readonly children: (item: T) => ComponentChildren
  /** Class that gives every row the same height. */
  readonly rowClass: string
}

const overscan = 8
const guessedHeight = 64

export function VirtualList<T>({ label, items, keyOf, children, rowClass }: VirtualListProps<T>) {
  const list = useRef<HTMLUListElement>(null)
  const [view, setView] = useState({ from: 0, to: 40, height: guessedHeight })

  useLayoutEffect(() => {
    const element = list.current!
    const scroller = element.closest('main') ?? document.documentElement
    const measure = () => {
      const row = element.querySelector<HTMLElement>(`.${rowClass}`)
      const height = row?.offsetHeight || guessedHeight
      const above = scroller.getBoundingClientRect().top - element.getBoundingClientRect().top
      const from = Math.max(0, Math.floor(above / height) - overscan)
      const to = Math.ceil((above + scroller.clientHeight) / height) + overscan
      setView((old) =>
        old.from === from && old.to === to && old.height === height ? old : { from, to, height },
      )
    }
    measure()
    scroller.addEventListener('scroll', measure, { passive: true })
    addEventListener('resize', measure)
    return () => {
      scroller.removeEventListener('scroll', measure)
      removeEventListener('resize', measure)
    }
  }, [rowClass, items.length, density.value])

  const from = Math.min(view.from, Math.max(0, items.length - 1))
  const shown = items.slice(from, Math.max(view.to, from + overscan))
  return (
    <ul
      class="virtual-list"
      aria-label={label}
      ref={list}
      style={{
        paddingTop: `${from * view.height}px`,
        paddingBottom: `${Math.max(0, items.length - from - shown.length) * view.height}px`,
      }}
    >
      {shown.map((item, index) => (
        <li key={keyOf(item)} class={rowClass} aria-setsize={items.length} aria-posinset={from + index + 1}>
          {children(item)}
        </li>
      ))}
    </ul>
  )
}
