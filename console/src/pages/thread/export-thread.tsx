// A thread as a file: as the server tells it, or as traces for a tool that reads OpenTelemetry.
import type { Thread } from '../../api/types.ts'
import { save } from '../../result/save.ts'
import { info } from '../../state/live.ts'
import { say } from '../../words/say.ts'
import { otlpOf } from './thread-otlp.ts'

export function ExportThread({ thread }: { thread: Thread }) {
  const saveJson = (name: string, value: object) =>
    save(`${name}.json`, JSON.stringify(value, null, 2), 'application/json')
  return (
    <span class="row" role="group" aria-label={say('Export')}>
      <button type="button" class="button" onClick={() => saveJson(`thread-${thread.id}`, thread)}>
        {say('Save as JSON')}
      </button>
      <button
        type="button"
        class="button"
        onClick={async () => saveJson(`traces-${thread.id}`, await otlpOf(thread, info.value?.version ?? ''))}
      >
        {say('Save as OTLP')}
      </button>
    </span>
  )
}
