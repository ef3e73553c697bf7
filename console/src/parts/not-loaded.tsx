// Stands where code of the console did not come: most often the server was renewed while the page was open.
import { say } from '../words/say.ts'

export function NotLoaded({ why }: { why: string }) {
  return (
    <div class="callout row wrap" data-tone="bad" role="alert">
      <span class="grow">{say('This part of the console could not be loaded: {why}', { why })}</span>
      <button type="button" class="button small" onClick={() => location.reload()}>
        {say('Reload the page')}
      </button>
    </div>
  )
}
