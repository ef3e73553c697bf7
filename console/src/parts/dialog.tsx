// A modal dialog: focus goes in, Escape and the button lead out, focus goes back.
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { say } from '../words/say.ts'
import { Icon } from './icon.tsx'

interface DialogProps {
  readonly title: string
  onClose(): void
  /** Without the line at its head; the title is for screen readers. */
  readonly isBare?: boolean
  readonly children: ComponentChildren
}

export function Dialog({ title, onClose, isBare, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const before = document.activeElement as HTMLElement | null
    element.current?.showModal()
    return () => before?.focus()
  }, [])
  return (
    <dialog ref={element} aria-labelledby={id} onClose={onClose} class={isBare ? 'bare' : undefined}>
      <header class={isBare ? 'unseen' : undefined}>
        <h2 id={id}>{title}</h2>
        <button type="button" class="button quiet small" aria-label={say('Close')} onClick={onClose}>
          <Icon name="cross" />
        </button>
      </header>
      {isBare ? children : <div class="body">{children}</div>}
    </dialog>
  )
}
