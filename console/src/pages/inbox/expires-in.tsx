// How long a decision can still be made.
import { useComputed } from '@preact/signals'
import { countdown } from '../../parts/time.tsx'
import { now } from '../../state/clock.ts'
import { say } from '../../words/say.ts'

export function ExpiresIn({ at }: { at: string }) {
  const words = useComputed(() => say('expires in {time}', { time: countdown(Date.parse(at) - now.value) }))
  return <span class="warn-text nowrap number">{words}</span>
}
