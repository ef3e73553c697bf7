// One value in its own view, and the values in it in theirs.

import { JsonText } from '../parts/json-text.tsx'
import { lazy } from '../parts/lazy.tsx'
import { PatchView } from '../parts/patch-view.tsx'
import { count, say } from '../words/say.ts'
import { JsonTree } from './json-tree.tsx'
import { imageSource, kindOf, rowsOf } from './kind-of.ts'
import { ResultTable } from './result-table.tsx'

const Markdown = lazy(async () => (await import('./markdown.tsx')).Markdown)

const mostText = 200_000
const smallData = 2_000
const deepest = 4

export function ValueView({ value, name, depth = 0 }: { value: unknown; name: string; depth?: number }) {
  switch (kindOf(value)) {
    case 'nothing':
      return <p class="muted">{value === '' ? say('an empty text') : say('nothing')}</p>
    case 'scalar':
      return <p class={typeof value === 'string' ? 'scalar' : 'scalar mono'}>{String(value)}</p>
    case 'text':
      return <Text text={value as string} name={name} />
    case 'markdown':
      return <Markdown text={value as string} />
    case 'image':
      return <img class="result-image" src={imageSource(value as string)!} alt={name} />
    case 'diff':
      return <PatchView diff={value as string} />
    case 'table':
      return <ResultTable table={rowsOf(value)!} label={say('{name} as a table', { name })} />
    case 'fields':
      return depth < deepest ? <Fields value={value as object} depth={depth} /> : <JsonTree value={value} />
    case 'data':
      return depth > 0 && isSmall(value) ? (
        <JsonText value={value} label={name} />
      ) : (
        <JsonTree value={value} />
      )
  }
}

function isSmall(value: unknown): boolean {
  const entries = Object.values(value as object)
  return entries.length < 20 && JSON.stringify(value).length < smallData
}

function Text({ text, name }: { text: string; name: string }) {
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <pre class="code-block wrap" tabIndex={0} role="region" aria-label={say('{name} as text', { name })}>
        {text.slice(0, mostText)}
      </pre>
      {text.length > mostText && (
        <p class="muted">{say('{n} more characters', { n: count(text.length - mostText) })}</p>
      )}
    </>
  )
}

function Fields({ value, depth }: { value: object; depth: number }) {
  return (
    <dl class="result-fields">
      {Object.entries(value).map(([key, inner]) => (
        <div key={key}>
          <dt class="mono">{Array.isArray(value) ? Number(key) + 1 : key}</dt>
          <dd>
            <ValueView value={inner} name={key} depth={depth + 1} />
          </dd>
        </div>
      ))}
    </dl>
  )
}
