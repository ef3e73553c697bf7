// How far a call is, as far as the tool says.
import type { Progress } from '../../api/types.ts'
import { count, say } from '../../words/say.ts'

export function ProgressBar({ progress }: { progress: Progress | null }) {
  return (
    <div class="progress">
      <progress
        aria-label={say('Progress')}
        {...(progress?.total === undefined ? {} : { value: progress.done, max: progress.total })}
      />
      <span class="muted">{progress ? progressWords(progress) : say('Waiting for the tool')}</span>
    </div>
  )
}

/** `3 of 400 – writing` */
export function progressWords({ done, total, message }: Progress): string {
  const far = total === undefined ? count(done) : say('{done} of {all}', { done, all: total })
  return message ? `${far} – ${message}` : far
}
