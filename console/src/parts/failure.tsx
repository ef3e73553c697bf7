// A refusal of the server, in its own words: what happened and what to do next.
import type { ApiError } from '../api/client.ts'
import { say } from '../words/say.ts'
import { LongText } from './long-text.tsx'

interface FailureProps {
  readonly error: ApiError
  readonly onRetry?: () => void
}

export function Failure({ error, onRetry }: FailureProps) {
  return (
    <div class="callout" data-tone="bad" role="alert">
      <strong>
        <LongText text={error.message} />
      </strong>
      {error.hint && <span>{error.hint}</span>}
      <div class="row">
        <code>{error.code}</code>
        {onRetry && (
          <button type="button" class="button small" onClick={onRetry}>
            {say('Try again')}
          </button>
        )}
      </div>
    </div>
  )
}
