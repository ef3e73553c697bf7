// Two values side by side in one text: lines that went and lines that came.
import { say } from '../words/say.ts'
import { diffLines } from './diff-lines.ts'
import { LongText } from './long-text.tsx'

interface DiffViewProps {
  readonly label: string
  readonly before: unknown
  readonly after: unknown
  /** Shows the text also where nothing differs. */
  readonly showsSame?: boolean
}

const signs = { same: ' ', removed: '−', added: '+' }

export function DiffView({ label, before, after, showsSame }: DiffViewProps) {
  const lines = diffLines(textOf(before), textOf(after))
  if (!showsSame && lines.every((line) => line.kind === 'same'))
    return <p class="muted">{say('No difference.')}</p>
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <pre class="code-block wrap diff" tabIndex={0} role="region" aria-label={label}>
      {lines.map((line, index) => (
        <span key={index} data-kind={line.kind}>
          {signs[line.kind]} <LongText text={line.text} />
          {'\n'}
        </span>
      ))}
    </pre>
  )
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '')
}
