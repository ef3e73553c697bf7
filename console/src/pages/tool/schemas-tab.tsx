// What goes in and what comes out, to be read or copied.
import { useState } from 'preact/hooks'
import type { JsonSchema, Tool } from '../../api/types.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { JsonText } from '../../parts/json-text.tsx'
import { Segmented } from '../../parts/segmented.tsx'
import { SchemaView } from './schema-view.tsx'

export function SchemasTab({ tool }: { tool: Tool }) {
  return (
    <>
      <SchemaCard title="Parameters" schema={tool.params} none="The tool takes no parameters." />
      <SchemaCard title="Result" schema={tool.returns} none="The tool does not say what it returns." />
    </>
  )
}

function SchemaCard({ title, schema, none }: { title: string; schema: JsonSchema | null; none: string }) {
  const [form, setForm] = useState<'read' | 'json'>('read')
  return (
    <section class="card" aria-label={title}>
      <header>
        <h2>{title}</h2>
        {schema && (
          <span class="row">
            <CopyButton label={`${title} schema`} text={JSON.stringify(schema, null, 2)} />
            <Segmented
              label={`Show ${title} as`}
              options={[
                ['read', 'Readable'],
                ['json', 'JSON Schema'],
              ]}
              chosen={form}
              onChoose={setForm}
            />
          </span>
        )}
      </header>
      <div class="body">
        {!schema && <p class="muted">{none}</p>}
        {schema && form === 'read' && <SchemaView schema={schema} />}
        {schema && form === 'json' && <JsonText value={schema} label={`${title} schema`} />}
      </div>
    </section>
  )
}
