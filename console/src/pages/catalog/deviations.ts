// What is not as usual with a tool, in a word each. The normal is silence (V9).
import type { CatalogRow, RunStats } from '../../api/types.ts'
import type { Tone } from '../../parts/badge.tsx'

export type ToolFigures = RunStats['groups'][number]

const slowMs = 10_000
/** A tool that failed once is no failing tool. */
const fewCalls = 3

export function deviationsOf(row: CatalogRow, figures?: ToolFigures): string[] {
  const words: string[] = []
  if (row.state !== 'available') words.push(row.state === 'quarantined' ? 'drift' : row.state)
  else if (row.stoppedBy !== undefined) words.push(row.stoppedBy === 'trust' ? 'unsigned' : 'denied')
  if (row.asks) words.push('asks first')
  if (row.trust === 'untrusted' || row.trust === 'tampered' || row.trust === 'invalid') words.push(row.trust)
  if (row.fence === 'advisory' || row.fence === 'off') words.push('not fenced')
  if (row.inHost) words.push('in host')
  if (figures && figures.count >= fewCalls && figures.failed * 2 >= figures.count) words.push('failing')
  if (figures?.p95 != null && figures.p95 >= slowMs) words.push('slow')
  return words
}

const tones: { readonly [word: string]: Tone } = {
  invalid: 'bad',
  drift: 'bad',
  tampered: 'bad',
  denied: 'bad',
  failing: 'bad',
  unavailable: 'warn',
  untrusted: 'warn',
  unsigned: 'warn',
  'asks first': 'warn',
  'not fenced': 'warn',
  slow: 'warn',
}

export function toneOf(word: string): Tone {
  return tones[word] ?? 'plain'
}
