// Changes a crumb. It is saved only on top of the version one was looking at; when somebody else was faster, the
// difference is shown and one decides.
import { useState } from 'preact/hooks'
import { ApiError, askJson, type FieldError } from '../../api/client.ts'
import type { FullCrumb } from '../../api/types.ts'
import { DiffView } from '../../parts/diff-view.tsx'
import { Failure } from '../../parts/failure.tsx'
import { announce } from '../../state/notices.ts'
import { setQuery } from '../../state/route.ts'
import { say } from '../../words/say.ts'
import { bodyOf, type CrumbDraft, CrumbFields, draftOf } from './crumb-fields.tsx'
import '../../form/form.css'

export function EditCrumb({ crumb, onSaved }: { crumb: FullCrumb; onSaved: () => void }) {
  // The version edited is the one that was opened, however often the page is read again meanwhile.
  const [base, setBase] = useState(crumb)
  const [draft, setDraft] = useState(() => draftOf(crumb))
  const [error, setError] = useState<ApiError | null>(null)
  const [faults, setFaults] = useState<readonly FieldError[]>([])
  const [theirs, setTheirs] = useState<FullCrumb | null>(null)

  const save = async (version: number) => {
    setError(null)
    setFaults([])
    try {
      await askJson(`/breadcrumbs/${crumb.id}`, {
        method: 'PATCH',
        body: bodyOf(draft),
        headers: { 'if-match': `"${version}"` },
      })
      announce(say('Saved'))
      onSaved()
      setQuery({ tab: null })
    } catch (thrown) {
      if (thrown instanceof ApiError && thrown.status === 412)
        setTheirs(await askJson<FullCrumb>(`/breadcrumbs/${crumb.id}/full`))
      else {
        setFaults((thrown as ApiError).fields ?? [])
        if (thrown instanceof ApiError) setError(thrown)
      }
    }
  }

  return (
    <form
      class="card"
      noValidate
      aria-label={say('Edit the event')}
      onSubmit={(event) => {
        event.preventDefault()
        void save(base.version)
      }}
    >
      <div class="body stack">
        {error && <Failure error={error} />}
        {theirs && (
          <section class="callout" data-tone="warn" role="alert" aria-label={say('Conflict')}>
            <strong>
              {say('{name} saved version {theirs} while you were editing version {mine}.', {
                name: theirs.updated_by,
                theirs: theirs.version,
                mine: base.version,
              })}
            </strong>
            <span>{say('From theirs to yours:')}</span>
            <DiffView
              label={say('From theirs to yours')}
              before={draftText(draftOf(theirs))}
              after={draftText(draft)}
            />
            <span class="row wrap">
              <button
                type="button"
                class="button"
                onClick={() => {
                  setBase(theirs)
                  setDraft(draftOf(theirs))
                  setTheirs(null)
                }}
              >
                {say('Take theirs')}
              </button>
              <button
                type="button"
                class="button danger"
                onClick={() => {
                  const { version } = theirs
                  setBase(theirs)
                  setTheirs(null)
                  void save(version)
                }}
              >
                {say('Save mine over it')}
              </button>
            </span>
          </section>
        )}
        <CrumbFields draft={draft} onChange={setDraft} faults={faults} />
        <div class="row">
          <button type="submit" class="button primary" disabled={theirs !== null}>
            {say('Save')}
          </button>
          <span class="muted">{say('on top of version {n}', { n: base.version })}</span>
        </div>
      </div>
    </form>
  )
}

function draftText({ title, schema_name, tags, context }: CrumbDraft): string {
  return `title: ${title}\nschema: ${schema_name}\ntags: ${tags}\n${context}`
}
