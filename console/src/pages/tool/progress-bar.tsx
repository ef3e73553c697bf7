// How far a call is, as far as the tool says.
import type { Progress } from '../../api/types.ts'
import { say } from '../../words/say.ts'

export function ProgressBar({ progress }: { progress: Progress | null }) {
  return (
    <div class="progress">
      <progress
        aria-label={say('Progress')}
        {...(progress?.total === undefined ? {} : { value: progress.done, max: progress.total })}
      />
      <span class="muted">
        {progress
          ? `${progress.done}${progress.total === undefined ? '' : ` of ${progress.total}`}${progress.message ? ` – ${progress.message}` : ''}`
          : say('Waiting for the tool')}
      </span>
    </div>
  )
}
