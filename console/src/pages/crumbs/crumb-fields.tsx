// The fields of a crumb that a person writes: title, schema, tags, and the context as JSON.
import type { FieldError } from '../../api/client.ts'
import type { FullCrumb } from '../../api/types.ts'
import { say } from '../../words/say.ts'

export interface CrumbDraft {
  readonly title: string
  readonly schema_name: string
  readonly tags: string
  readonly context: string
}

interface CrumbFieldsProps {
  readonly draft: CrumbDraft
  onChange(draft: CrumbDraft): void
  readonly faults: readonly FieldError[]
}

export function CrumbFields({ draft, onChange, faults }: CrumbFieldsProps) {
  const faultOf = (name: string) =>
    faults
      .filter(({ pointer }) => pointer === `/${name}` || pointer.startsWith(`/${name}/`))
      .map(({ pointer, message }) => `${pointer} ${message}`)
  const row = (name: keyof CrumbDraft, label: string, help?: string) => (
    <div class="field">
      <label class="field-label" for={`crumb-${name}`}>
        {label}
      </label>
      {help && <p class="field-help">{help}</p>}
      {name === 'context' ? (
        <textarea
          id={`crumb-${name}`}
          class="input code"
          rows={12}
          spellcheck={false}
          aria-invalid={faultOf(name).length > 0}
          value={draft[name]}
          onInput={(event) => onChange({ ...draft, [name]: event.currentTarget.value })}
        />
      ) : (
        <input
          id={`crumb-${name}`}
          class="input"
          autocomplete="off"
          aria-invalid={faultOf(name).length > 0}
          value={draft[name]}
          onInput={(event) => onChange({ ...draft, [name]: event.currentTarget.value })}
        />
      )}
      <p class="field-fault" role="alert">
        {faultOf(name).join('; ')}
      </p>
    </div>
  )
  return (
    <div class="fields">
      {row('title', say('Title'))}
      {row(
        'schema_name',
        say('Schema'),
        say('Which kind of event this is, for example note.v1. Tools subscribe to schemas.'),
      )}
      {row('tags', say('Tags'), say('Separated by commas.'))}
      {row('context', say('Context (JSON)'))}
    </div>
  )
}

/** What is sent; throws a field error when the context is not JSON. */
export function bodyOf(draft: CrumbDraft): Record<string, unknown> {
  let context: unknown
  try {
    context = JSON.parse(draft.context.trim() === '' ? '{}' : draft.context)
  } catch (error) {
    throw Object.assign(new Error('not JSON'), {
      fields: [
        { pointer: '/context', message: say('is not JSON: {why}', { why: (error as Error).message }) },
      ],
    })
  }
  const tags = draft.tags
    .split(',')
    .map((tag) => tag.trim())
    .filter(Boolean)
  return { title: draft.title, tags, context, schema_name: draft.schema_name.trim() || null }
}

/** What stands in the fields of a crumb that is there. */
export function draftOf(crumb: FullCrumb): CrumbDraft {
  return {
    title: crumb.title,
    schema_name: crumb.schema_name ?? '',
    tags: crumb.tags.join(', '),
    context: JSON.stringify(crumb.context, null, 2),
  }
}
