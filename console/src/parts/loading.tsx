// Stands where something is on its way.
import { say } from '../words/say.ts'

interface LoadingProps {
  readonly what: string
  readonly lines?: number
  /** Stands for a whole page, which has a heading at every moment. */
  readonly isPage?: boolean
}

export function Loading({ what, lines = 4, isPage }: LoadingProps) {
  return (
    <>
      {isPage && <h1 class="unseen">{what}</h1>}
      <div class="skeleton" role="status">
        <span class="unseen">{say('Loading {what}', { what })}</span>
        {Array.from({ length: lines }, (_, index) => (
          <span key={index} style={{ width: `${90 - ((index * 17) % 45)}%` }} />
        ))}
      </div>
    </>
  )
}
