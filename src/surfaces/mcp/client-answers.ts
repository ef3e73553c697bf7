// What a client can be asked, by the capabilities it states (U2).
import type { ClientCapabilities, ElicitResult, Server } from '@modelcontextprotocol/server'
import type { CallerAnswers } from '../../tool/caller-answers.ts'
import type { Ask } from './questions.ts'

/** The answers that a client with these capabilities can give. */
export function answersOf(capabilities: ClientCapabilities | undefined, ask: Ask): CallerAnswers {
  const { elicitation, sampling, roots } = capabilities ?? {}
  return {
    onElicit:
      elicitation &&
      ((params: unknown, key?: string) => ask('elicitation/create', params, key) as Promise<ElicitResult>),
    // One that names no mode can show forms, as all could before there were others.
    elicitModes: elicitation?.url ? (elicitation.form ? ['form', 'url'] : ['url']) : ['form'],
    onSample: sampling && ((params: unknown, key?: string) => ask('sampling/createMessage', params, key)),
    onRoots: roots && ((key?: string) => ask('roots/list', undefined, key)),
  }
}

/** Tells a client of the older era that what its user was sent to a page for has ended there. */
export function tellElicited(server: Server): (id: string) => void {
  return (elicitationId) =>
    void server
      .notification({ method: 'notifications/elicitation/complete', params: { elicitationId } })
      .catch(() => {})
}

/** Whether a client with these capabilities can be asked anything. */
export function canBeAsked({ elicitation, sampling, roots }: ClientCapabilities): boolean {
  return elicitation !== undefined || sampling !== undefined || roots !== undefined
}
