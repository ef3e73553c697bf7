// A text before and after, word by word, as a model reads it: characters that nobody sees are shown by their number.
import { diffWordsWithSpace } from 'diff'
import { showInvisible } from '../../parts/invisible.ts'
import { say } from '../../words/say.ts'

const mostCharacters = 40_000

interface WordDiffProps {
  readonly before: unknown
  readonly after: unknown
  readonly label: string
}

export function WordDiff({ before, after, label }: WordDiffProps) {
  const [old, now] = [textOf(before), textOf(after)]
  const isLong = old.length + now.length > mostCharacters
  const parts = isLong
    ? [
        { value: old, removed: true, added: false },
        { value: now, removed: false, added: true },
      ]
    : diffWordsWithSpace(old, now)
  const name = say('Difference of {field}', { field: label })
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <pre class="code-block wrap word-diff" tabIndex={0} role="region" aria-label={name}>
      {parts.map(({ value, added, removed }, index) =>
        added ? (
          <ins key={index}>{showInvisible(value)}</ins>
        ) : removed ? (
          <del key={index}>{showInvisible(value)}</del>
        ) : (
          showInvisible(value)
        ),
      )}
    </pre>
  )
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2)
}
