// The colour of a state, the same in pictures and badges.
import type { Tone } from '../../parts/badge.tsx'

const tones: Record<string, Tone> = {
  succeeded: 'ok',
  started: 'ok',
  completed: 'ok',
  failed: 'bad',
  skipped: 'warn',
}

export function statusTone(status: string): Tone {
  return tones[status] ?? 'plain'
}
