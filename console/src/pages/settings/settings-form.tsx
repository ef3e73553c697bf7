// The form of one tool's settings. Saved on top of the version that was read; refusals stand beside the fields.
import { useState } from 'preact/hooks'
import { ApiError, askJson, idPath } from '../../api/client.ts'
import type { ToolSettingsAnswer } from '../../api/types.ts'
import { Failure } from '../../parts/failure.tsx'
import { localTime } from '../../parts/time.tsx'
import { announce } from '../../state/notices.ts'
import { linkTo } from '../../state/route.ts'
import { say } from '../../words/say.ts'
import { SettingsControl } from './settings-control.tsx'
import '../../form/form.css'

interface SettingsFormProps {
  readonly settings: ToolSettingsAnswer
  onSaved(): void
}

export function SettingsForm({ settings, onSaved }: SettingsFormProps) {
  const [values, setValues] = useState<{ readonly [key: string]: unknown }>(settings.values)
  const [faults, setFaults] = useState<{ readonly [key: string]: string }>({})
  const [error, setError] = useState<ApiError | null>(null)
  const save = async (event: Event) => {
    event.preventDefault()
    setError(null)
    setFaults({})
    try {
      await askJson(`/api/tools/${idPath(settings.tool)}/config`, {
        method: 'PUT',
        body: { config: values },
        ...(settings.version === null ? {} : { headers: { 'if-match': `"${settings.version}"` } }),
      })
      announce(say('Settings of {name} saved', { name: settings.tool }))
      onSaved()
    } catch (thrown) {
      const refusal = thrown as ApiError
      const byField = Object.fromEntries(
        refusal.fields.map(({ pointer, message }) => [pointer.split('/').at(-1), message]),
      )
      setFaults(byField)
      if (refusal.status === 412)
        setError(
          new ApiError(412, {
            code: refusal.code,
            detail: say('Somebody else saved these settings meanwhile.'),
            hint: say('Load them again; your changes are then to be made anew.'),
          }),
        )
      else if (refusal.fields.length === 0) setError(refusal)
    }
  }
  return (
    <form
      class="card"
      onSubmit={save}
      noValidate
      aria-label={say('Settings of {name}', { name: settings.tool })}
    >
      <header>
        <h2>
          <a href={linkTo('tools', settings.tool)}>{settings.tool}</a>
        </h2>
        <span class="muted">
          {settings.last_updated
            ? say('saved {time}', { time: localTime(settings.last_updated) })
            : say('defaults, nothing saved yet')}
        </span>
      </header>
      <div class="body stack">
        {settings.description && <p class="muted">{settings.description}</p>}
        {error && <Failure error={error} onRetry={onSaved} />}
        {settings.fields.map((field) => (
          <SettingsControl
            key={field.key}
            field={field}
            value={values[field.key]}
            fault={faults[field.key]}
            onChange={(value) => setValues({ ...values, [field.key]: value })}
          />
        ))}
        <div class="row">
          <button type="submit" class="button primary">
            {say('Save')}
          </button>
          <button type="button" class="button" onClick={() => setValues(settings.values)}>
            {say('Undo changes')}
          </button>
        </div>
      </div>
    </form>
  )
}
