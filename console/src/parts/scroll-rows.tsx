// A box with very many rows of one height, of which only those in sight are in the document.
import type { ComponentChildren, HTMLAttributes } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'

interface ScrollRowsProps extends Omit<HTMLAttributes<HTMLDivElement>, 'children'> {
  readonly count: number
  readonly rowHeight: number
  /** Row that is to be in sight. */
  readonly at?: number
  readonly children: (index: number) => ComponentChildren
}

const overscan = 6

export function ScrollRows({ count, rowHeight, at, children, ...rest }: ScrollRowsProps) {
  const box = useRef<HTMLDivElement>(null)
  const [view, setView] = useState({ from: 0, to: 40 })
  const measure = () => {
    const { scrollTop, clientHeight } = box.current!
    const from = Math.max(0, Math.floor(scrollTop / rowHeight) - overscan)
    const to = Math.ceil((scrollTop + clientHeight) / rowHeight) + overscan
    setView((old) => (old.from === from && old.to === to ? old : { from, to }))
  }
  useLayoutEffect(measure, [count, rowHeight])
  useLayoutEffect(() => {
    if (at === undefined || at < 0 || !box.current) return
    const { scrollTop, clientHeight } = box.current
    if (at * rowHeight < scrollTop) box.current.scrollTop = at * rowHeight
    else if ((at + 1) * rowHeight > scrollTop + clientHeight)
      box.current.scrollTop = (at + 1) * rowHeight - clientHeight
  }, [at])
  const from = Math.min(view.from, Math.max(0, count - 1))
  const to = Math.min(count, view.to)
  return (
    <div {...rest} ref={box} onScroll={measure}>
      <div
        role="presentation"
        style={{
          paddingTop: `${from * rowHeight}px`,
          paddingBottom: `${Math.max(0, count - to) * rowHeight}px`,
        }}
      >
        {Array.from({ length: Math.max(0, to - from) }, (_, index) => children(from + index))}
      </div>
    </div>
  )
}
