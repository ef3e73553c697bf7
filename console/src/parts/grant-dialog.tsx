// Grants capabilities to tools: the difference of toolcrib.yaml, then saved where the server may write, else to paste.
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

interface GrantDialogProps {
  readonly pattern: string
  readonly names: readonly string[]
  onClose(): void
}

export function GrantDialog({ pattern, names, onClose }: GrantDialogProps) {
  const [edit, setEdit] = useState<Edit | null>(null)
  const [fault, setFault] = useState('')
  const change = { list: 'grants.tools', pattern, add: names }
  useEffect(() => {
    askJson<Edit>('/api/console/settings/preview', { method: 'POST', body: change }).then(
      setEdit,
      (error: Error) => setFault(error.message),
    )
  }, [])
  const save = async () => {
    try {
      await askJson('/api/console/settings', { method: 'POST', body: { ...change, digest: edit!.digest } })
      announce(say('Granted {names} to {pattern}', { names: names.join(', '), pattern }))
      outdate('catalog', 'settings', 'runs')
      onClose()
    } catch (error) {
      setFault((error as Error).message)
    }
  }
  return (
    <Dialog title={say('Grant {names} to {pattern}', { names: names.join(', '), pattern })} onClose={onClose}>
      <div class="stack">
        {edit && (
          <DiffView label={say('Difference of toolcrib.yaml')} before={edit.before} after={edit.after} />
        )}
        {fault && (
          <p role="alert" class="field-fault">
            {fault}
          </p>
        )}
        <div class="row">
          {info.value?.canEdit ? (
            <button type="button" class="button primary" disabled={!edit} onClick={save}>
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
