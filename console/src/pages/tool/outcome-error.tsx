// Why a call failed: the message, what to do next, and the details where there are some.
import type { Outcome } from '../../api/types.ts'
import { JsonText } from '../../parts/json-text.tsx'
import { LongText } from '../../parts/long-text.tsx'
import { say } from '../../words/say.ts'

type ToolErrorData = Extract<Outcome, { ok: false }>['error']

export function OutcomeError({ error }: { error: ToolErrorData }) {
  return (
    <div class="callout" data-tone="bad" role="alert">
      <strong>
        <LongText text={error.message} />
      </strong>
      {error.hint && <span>{error.hint}</span>}
      <span class="row wrap">
        <code>{error.code}</code>
        {error.retryable && <span class="muted">{say('may work on another try')}</span>}
      </span>
      {error.details !== undefined && error.code !== 'PARAMS_INVALID' && (
        <details>
          <summary>{say('Details')}</summary>
          <JsonText value={error.details} label={say('Error details')} />
        </details>
      )}
    </div>
  )
}
