// A result in the view that shows it best; as a tree, and as it came, one click away.
import { useMemo, useState } from 'preact/hooks'
import { CopyButton } from '../parts/copy-button.tsx'
import { Icon } from '../parts/icon.tsx'
import { JsonText } from '../parts/json-text.tsx'
import { Segmented } from '../parts/segmented.tsx'
import { say } from '../words/say.ts'
import { JsonTree } from './json-tree.tsx'
import { kindOf } from './kind-of.ts'
import { save } from './save.ts'
import { unwrap } from './unwrap.ts'
import { ValueView } from './value-view.tsx'
import './result.css'

type View = 'best' | 'tree' | 'raw'

const mostRaw = 200_000

export function ResultView({ value }: { value: unknown }) {
  const [picked, setPicked] = useState<View | null>(null)
  const [part, setPart] = useState<{ readonly path: string; readonly value: unknown } | null>(null)
  const { value: inner, envelopes } = useMemo(() => unwrap(value), [value])
  const kind = useMemo(() => kindOf(inner), [inner])
  const isData = typeof inner === 'object' && inner !== null
  const views: readonly (readonly [View, string])[] = [
    ...(kind === 'data' ? [] : [['best', say(kind)] as const]),
    ...(isData ? [['tree', say('Tree')] as const] : []),
    ['raw', say('Raw')],
  ]
  const shown = views.some(([view]) => view === picked) ? picked! : views[0]![0]
  return (
    <section class="result stack tight" aria-label={say('Result')}>
      <div class="row wrap">
        <Segmented
          label={say('Show the result as')}
          options={views}
          chosen={shown}
          onChoose={(view) => {
            setPicked(view)
            setPart(null)
          }}
        />
        {envelopes.length > 0 && shown !== 'raw' && (
          <span class="muted">{say('taken out of {envelope}', { envelope: envelopes.join(', ') })}</span>
        )}
        <span class="grow" />
        <CopyButton label={say('result')} text={() => textOf(shown === 'raw' ? value : inner)} />
        <button
          type="button"
          class="button small quiet"
          aria-label={say('Download the result')}
          title={say('Download the result')}
          onClick={() => save('result.json', JSON.stringify(value, null, 2) ?? '', 'application/json')}
        >
          <Icon name="download" />
        </button>
      </div>
      {shown === 'best' && <ValueView value={inner} name={say('Result')} />}
      {shown === 'tree' && (
        <JsonTree value={inner} onShow={(path, chosen) => setPart({ path, value: chosen })} />
      )}
      {shown === 'tree' && part && (
        <div class="result-part stack tight">
          <p class="row">
            <code class="grow">{part.path}</code>
            <button type="button" class="button small quiet" onClick={() => setPart(null)}>
              {say('Close')}
            </button>
          </p>
          <ValueView value={part.value} name={part.path} />
        </div>
      )}
      {shown === 'raw' && <Raw value={value} />}
    </section>
  )
}

function Raw({ value }: { value: unknown }) {
  const text = useMemo(() => JSON.stringify(value, null, 2) ?? 'undefined', [value])
  if (text.length <= mostRaw) return <JsonText value={value} label={say('Result as it came')} />
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <pre class="code-block" tabIndex={0} role="region" aria-label={say('Result as it came')}>
        {text.slice(0, mostRaw)}
      </pre>
      <p class="muted">
        {say('The first {n} of {all} characters; download it to have all.', { n: mostRaw, all: text.length })}
      </p>
    </>
  )
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '')
}
