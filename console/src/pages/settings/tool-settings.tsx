// The settings of tools that have some: choose a tool, fill in its form.
import { computed } from '@preact/signals'
import { askJson, idPath } from '../../api/client.ts'
import type { ToolSettingsAnswer } from '../../api/types.ts'
import { Empty } from '../../parts/empty.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Loading } from '../../parts/loading.tsx'
import { Words } from '../../parts/words.tsx'
import { catalog, rows } from '../../state/catalog.ts'
import { route, setQuery } from '../../state/route.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import { say } from '../../words/say.ts'
import { SettingsForm } from './settings-form.tsx'

const configurable = computed(() => rows.value.filter((row) => row.configurable && row.state !== 'shadowed'))

export function ToolSettings() {
  if (!catalog.value) return <Loading what={say('tools')} />
  const tools = configurable.value
  if (tools.length === 0)
    return (
      <Empty title={say('No tool has settings')} icon="settings">
        <p>
          <Words text={say('A tool-code tool with a `ui_schema` gets a form here.')} />
        </p>
      </Empty>
    )
  const chosen = route.value.query.get('tool') ?? tools[0]!.id
  return (
    <>
      <label class="row wrap">
        {say('Tool')}
        <select
          class="input short"
          value={chosen}
          onChange={(event) => setQuery({ tool: event.currentTarget.value })}
        >
          {tools.map((row) => (
            <option key={row.id} value={row.id}>
              {row.id}
            </option>
          ))}
        </select>
      </label>
      <OneTool key={chosen} id={chosen} />
    </>
  )
}

function OneTool({ id }: { id: string }) {
  const { data, error, reload } = useLoaded(
    (signal) => askJson<ToolSettingsAnswer>(`/api/tools/${idPath(id)}/config`, { signal }),
    [id],
  )
  if (error) return <Failure error={error} onRetry={reload} />
  if (!data) return <Loading what={say('Settings of {name}', { name: id })} />
  if (data.message !== null) return <Empty title={data.message} icon="settings" />
  return <SettingsForm key={String(data.version)} settings={data} onSaved={reload} />
}
