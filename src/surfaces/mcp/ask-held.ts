// What a call changed in the files and holds, put to the user of the client that made it (E9): the difference, and
// whether all, some files or nothing of it counts. Only the operator's own client is asked; others decide nothing.
import { waitsForWord } from '../../sandbox/changes/decide-held.ts'
import type { CallerAnswers } from '../../tool/caller-answers.ts'
import { isPlainObject } from '../../tool/json.ts'
import type { Outcome } from '../../tool/outcome.ts'
import type { ClientCatalog } from './client-catalog.ts'

const maxShown = 6_000

/** The outcome with what was decided; as it is where nobody can be asked, or the decision is put off. */
export async function askHeld(
  { crib, principal }: ClientCatalog,
  outcome: Outcome,
  onElicit: CallerAnswers['onElicit'],
): Promise<Outcome> {
  if (!waitsForWord(outcome) || !principal.isAdmin || !onElicit) return outcome
  const { diff, changes, tool } = crib.changes(outcome.runId)
  const shown = diff.length > maxShown ? `${diff.slice(0, maxShown)}\n… (${diff.length} characters)` : diff
  const message = `${tool} changed ${changes.length} files; nothing of it is in place yet.\n\n${shown}`
  const { action, content } = await onElicit({ mode: 'form', message, requestedSchema } as never)
  const { decision, files } = action === 'accept' && isPlainObject(content) ? content : {}
  if (decision !== 'accept' && decision !== 'reject') return outcome
  const chosen = String(files ?? '')
    .split('\n')
    .map((path) => path.trim())
    .filter(Boolean)
  const accepted = decision === 'reject' ? 'none' : chosen.length > 0 ? chosen : 'all'
  return { ...outcome, effects: await crib.decide(outcome.runId, accepted) }
}

const requestedSchema = {
  type: 'object',
  properties: {
    decision: {
      type: 'string',
      title: 'Decision',
      enum: ['accept', 'reject', 'later'],
      description: 'Put it in place, throw it away, or decide later (`toolcrib runs accept`).',
    },
    files: {
      type: 'string',
      title: 'Files',
      description: 'To accept only some: their paths, one per line.',
    },
  },
  required: ['decision'],
}
