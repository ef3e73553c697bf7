// What goes in and what comes out, to be read or copied.
import { useState } from 'preact/hooks'
import type { JsonSchema, Tool } from '../../api/types.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { JsonText } from '../../parts/json-text.tsx'
import { Segmented } from '../../parts/segmented.tsx'
import { say } from '../../words/say.ts'
import { SchemaView } from './schema-view.tsx'

export function SchemasTab({ tool }: { tool: Tool }) {
  return (
    <>
      <SchemaCard
        title={say('Parameters')}
        schema={tool.params}
        none={say('This tool takes no parameters.')}
      />
      <SchemaCard
        title={say('Result')}
        schema={tool.returns}
        none={say('The tool does not say what it returns.')}
      />
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
            <CopyButton
              label={say('Schema of {name}', { name: title })}
              text={JSON.stringify(schema, null, 2)}
            />
            <Segmented
              label={say('Show {name} as', { name: title })}
              options={[
                ['read', say('Readable')],
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
        {schema && form === 'json' && (
          <JsonText value={schema} label={say('Schema of {name}', { name: title })} />
        )}
      </div>
    </section>
  )
}
