// A result in the form that shows it best, and in every other form that fits: table, tree, text, image, JSON.
import { useState } from 'preact/hooks'
import { CopyButton } from '../../parts/copy-button.tsx'
import { JsonText } from '../../parts/json-text.tsx'
import { JsonTree } from '../../parts/json-tree.tsx'
import { Segmented } from '../../parts/segmented.tsx'
import { imagesIn, rowsIn, textIn } from './result-forms.ts'
import { ResultTable } from './result-table.tsx'

type Form = 'image' | 'text' | 'table' | 'tree' | 'json'

export function ResultView({ value }: { value: unknown }) {
  const [picked, setPicked] = useState<Form | null>(null)
  const images = imagesIn(value)
  const rows = rowsIn(value)
  const text = textIn(value)
  const isObject = typeof value === 'object' && value !== null
  const forms: readonly (readonly [Form, string])[] = [
    ...(images.length > 0 ? [['image', 'Image'] as const] : []),
    ...(text !== null ? [['text', 'Text'] as const] : []),
    ...(rows ? [['table', 'Table'] as const] : []),
    ...(isObject ? [['tree', 'Tree'] as const] : []),
    ['json', 'JSON'],
  ]
  const shown = forms.some(([form]) => form === picked) ? picked! : forms[0]![0]
  return (
    <section class="stack tight" aria-label="Result">
      <div class="row spread">
        <Segmented label="Show the result as" options={forms} chosen={shown} onChoose={setPicked} />
        <CopyButton label="result" text={() => text ?? JSON.stringify(value, null, 2)} />
      </div>
      {shown === 'image' &&
        images.map((source, index) => (
          <img key={index} class="result-image" src={source} alt={`Result ${index + 1}`} />
        ))}
      {shown === 'text' && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        <pre class="code-block wrap" tabIndex={0} role="region" aria-label="Result as text">
          {text || '(empty)'}
        </pre>
      )}
      {shown === 'table' && rows && <ResultTable table={rows} />}
      {shown === 'tree' && <JsonTree value={value} />}
      {shown === 'json' && <JsonText value={value} label="Result as JSON" />}
    </section>
  )
}
