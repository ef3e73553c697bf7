// JSON as coloured text. Very long texts stay plain, so that the page does not stall.
import type { ComponentChildren } from 'preact'
import { LongText } from './long-text.tsx'

const tokens = /("(?:\\.|[^"\\])*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|\b(true|false|null)\b/g
const mostColoured = 60_000

export function JsonText({ value, label = 'JSON' }: { value: unknown; label?: string }) {
  const text = JSON.stringify(value, null, 2) ?? 'undefined'
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <pre class="code-block wrap" tabIndex={0} role="region" aria-label={label}>
      {text.length > mostColoured ? <LongText text={text} /> : coloured(text)}
    </pre>
  )
}

function coloured(text: string): ComponentChildren[] {
  const parts: ComponentChildren[] = []
  let at = 0
  for (const match of text.matchAll(tokens)) {
    if (match.index > at) parts.push(text.slice(at, match.index))
    const [whole, string, colon, number] = match
    const kind = string ? (colon ? 'j-key' : 'j-string') : number ? 'j-number' : 'j-word'
    parts.push(<span class={kind}>{string ?? whole}</span>)
    if (colon) parts.push(colon)
    at = match.index + whole.length
  }
  parts.push(text.slice(at))
  return parts
}
