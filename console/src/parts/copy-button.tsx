// Copies a text and says so.
import { useState } from 'preact/hooks'
import { announce } from '../state/notices.ts'
import { say } from '../words/say.ts'
import { Icon } from './icon.tsx'

interface CopyButtonProps {
  readonly text: string | (() => string)
  readonly label: string
  readonly children?: string
}

export function CopyButton({ text, label, children }: CopyButtonProps) {
  const [isDone, setDone] = useState(false)
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(typeof text === 'string' ? text : text())
      setDone(true)
      announce(say('{path} copied', { path: label }))
      setTimeout(() => setDone(false), 1_500)
    } catch {
      announce(say('The browser does not allow copying here.'), true)
    }
  }
  return (
    <button
      type="button"
      class={children === undefined ? 'button small quiet' : 'button small'}
      onClick={copy}
      aria-label={children === undefined ? say('Copy {name}', { name: label }) : undefined}
    >
      <Icon name={isDone ? 'check' : 'copy'} />
      {children}
    </button>
  )
}
