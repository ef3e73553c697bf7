// Changes a list of toolcrib.yaml: the difference, then saved where the server may write, else to paste.
import { useEffect, useState } from 'preact/hooks'
import { askJson } from '../api/client.ts'
import { info } from '../state/live.ts'
import { announce } from '../state/notices.ts'
import { outdate } from '../state/query.ts'
import { say } from '../words/say.ts'
import { CopyButton } from './copy-button.tsx'
import { Dialog } from './dialog.tsx'
import { DiffView } from './diff-view.tsx'

interface Edit {
  readonly file: string
  readonly before: string
  readonly after: string
  readonly digest: string
}

export interface SettingsChange {
  readonly list: 'grants.tools' | 'grants.default' | 'approve'
  readonly pattern?: string
  readonly add?: readonly string[]
  readonly remove?: readonly string[]
}

interface SettingsDialogProps {
  readonly title: string
  readonly change: SettingsChange
  onClose(): void
}

export function SettingsDialog({ title, change, onClose }: SettingsDialogProps) {
  const [edit, setEdit] = useState<Edit | null>(null)
  const [fault, setFault] = useState('')
  const isSame = edit !== null && edit.before === edit.after
  useEffect(() => {
    askJson<Edit>('/api/console/settings/preview', { method: 'POST', body: change }).then(
      setEdit,
      (error: Error) => setFault(error.message),
    )
  }, [])
  const save = async () => {
    try {
      await askJson('/api/console/settings', { method: 'POST', body: { ...change, digest: edit!.digest } })
      announce(say('toolcrib.yaml is saved'))
      outdate('catalog', 'settings', 'runs')
      onClose()
    } catch (error) {
      setFault((error as Error).message)
    }
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <div class="stack">
        {isSame && (
          <p>{say('Nothing to change in toolcrib.yaml: it says so already, or another file says it.')}</p>
        )}
        {edit && !isSame && (
          <DiffView label={say('Difference of toolcrib.yaml')} before={edit.before} after={edit.after} />
        )}
        {fault && (
          <p role="alert" class="field-fault">
            {fault}
          </p>
        )}
        <div class="row">
          {info.value?.canEdit ? (
            <button type="button" class="button primary" disabled={!edit || isSame} onClick={save}>
              {say('Save')}
            </button>
          ) : (
            edit && (
              <CopyButton label="toolcrib.yaml" text={edit.after}>
                {say('Copy the new toolcrib.yaml')}
              </CopyButton>
            )
          )}
          <button type="button" class="button" onClick={onClose}>
            {say('Cancel')}
          </button>
        </div>
      </div>
    </Dialog>
  )
}

interface GrantDialogProps {
  readonly pattern: string
  readonly names: readonly string[]
  onClose(): void
}

/** Gives capabilities to tools. */
export function GrantDialog({ pattern, names, onClose }: GrantDialogProps) {
  return (
    <SettingsDialog
      title={say('Grant {names} to {pattern}', { names: names.join(', '), pattern })}
      change={{ list: 'grants.tools', pattern, add: names }}
      onClose={onClose}
    />
  )
}
