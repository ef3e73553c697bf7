// Writes a new crumb.
import { useState } from 'preact/hooks'
import { ApiError, askJson, type FieldError } from '../../api/client.ts'
import type { FullCrumb } from '../../api/types.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Failure } from '../../parts/failure.tsx'
import { goTo, linkTo } from '../../state/route.ts'
import { say } from '../../words/say.ts'
import { bodyOf, type CrumbDraft, CrumbFields, draftOf } from './crumb-fields.tsx'
import '../../form/form.css'

const blank: CrumbDraft = { title: '', schema_name: '', tags: '', context: '{\n  \n}' }

interface CreateCrumbProps {
  /** One that was, to begin with. */
  readonly like?: FullCrumb
  onClose(): void
}

export function CreateCrumb({ like, onClose }: CreateCrumbProps) {
  const [draft, setDraft] = useState(() => (like ? draftOf(like) : blank))
  const [error, setError] = useState<ApiError | null>(null)
  const [faults, setFaults] = useState<readonly FieldError[]>([])
  const save = async (event: Event) => {
    event.preventDefault()
    setError(null)
    setFaults([])
    try {
      const { schema_name, ...body } = bodyOf(draft)
      const { id } = await askJson<{ id: string }>('/breadcrumbs', {
        method: 'POST',
        body: { ...body, ...(schema_name === null ? {} : { schema_name }) },
      })
      goTo(linkTo('events', id))
    } catch (thrown) {
      setFaults((thrown as ApiError).fields ?? [])
      if (thrown instanceof ApiError) setError(thrown)
    }
  }
  return (
    <Dialog title={say('Send an event')} onClose={onClose}>
      <form class="stack" onSubmit={save} noValidate>
        {error && <Failure error={error} />}
        <CrumbFields draft={draft} onChange={setDraft} faults={faults} />
        <div class="row">
          <button type="submit" class="button primary">
            {say('Create')}
          </button>
          <button type="button" class="button" onClick={onClose}>
            {say('Cancel')}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
