// The heading of a page. It takes the focus when the page has its data, so that a screen reader says where one is.
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { takeFocus } from '../state/navigation.ts'

export function Heading({ children, isMono }: { children: ComponentChildren; isMono?: boolean }) {
  const element = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (takeFocus()) element.current?.focus({ preventScroll: true })
  }, [])
  return (
    <h1 ref={element} tabIndex={-1} class={isMono ? 'mono' : undefined}>
      {children}
    </h1>
  )
}
