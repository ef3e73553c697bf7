// A long table: its rows in groups, of which only those near the window are in the document. A group that is not leaves
// its height behind, so rows may be of any height.
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'

const groupSize = 20
/** Pixels above and below the window in which rows are drawn. */
const ahead = 200
/** Of a row that was never drawn. */
const guessedHeight = 44

interface RowGroupsProps<T> {
  readonly items: readonly T[]
  readonly columns: number
  readonly children: (item: T, index: number) => ComponentChildren
}

export function RowGroups<T>({ items, columns, children }: RowGroupsProps<T>) {
  const groups = Array.from({ length: Math.ceil(items.length / groupSize) }, (_, n) => n * groupSize)
  return (
    <>
      {groups.map((from) => (
        <RowGroup
          key={from}
          count={Math.min(groupSize, items.length - from)}
          columns={columns}
          isFirst={from === 0}
        >
          {() => items.slice(from, from + groupSize).map((item, index) => children(item, from + index))}
        </RowGroup>
      ))}
    </>
  )
}

interface RowGroupProps {
  readonly count: number
  readonly columns: number
  readonly isFirst: boolean
  readonly children: () => ComponentChildren
}

function RowGroup({ count, columns, isFirst, children }: RowGroupProps) {
  const body = useRef<HTMLTableSectionElement>(null)
  const [isNear, setNear] = useState(isFirst)
  const height = useRef(count * guessedHeight)
  useLayoutEffect(() => {
    const element = body.current!
    const observer = new IntersectionObserver(
      ([seen]) => {
        if (!seen!.isIntersecting && seen!.boundingClientRect.height > 0)
          height.current = seen!.boundingClientRect.height
        setNear(seen!.isIntersecting)
      },
      { root: element.closest('main'), rootMargin: `${ahead}px 0px` },
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return (
    <tbody ref={body}>
      {isNear ? (
        children()
      ) : (
        <tr class="rows-away">
          <td colSpan={columns} style={{ height: `${height.current}px` }} />
        </tr>
      )}
    </tbody>
  )
}
