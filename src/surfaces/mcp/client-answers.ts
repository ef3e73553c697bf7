// What a client can be asked, by the capabilities it states (U2).
import type { ClientCapabilities, ElicitResult, Server, ServerContext } from '@modelcontextprotocol/server'
import type { AskOptions, CallerAnswers } from '../../tool/caller-answers.ts'
import type { Ask } from './questions.ts'

/** The answers that a client with these capabilities can give. */
export function answersOf(capabilities: ClientCapabilities | undefined, ask: Ask): CallerAnswers {
  const { elicitation, sampling, roots } = capabilities ?? {}
  return {
    onElicit:
      elicitation &&
      ((params: unknown, options?: AskOptions) =>
        ask('elicitation/create', params, options) as Promise<ElicitResult>),
    // One that names no mode can show forms, as all could before there were others.
    elicitModes: elicitation?.url ? (elicitation.form ? ['form', 'url'] : ['url']) : ['form'],
    onSample:
      sampling && ((params: unknown, options?: AskOptions) => ask('sampling/createMessage', params, options)),
    sampleWith: Object.keys(sampling ?? {}),
    onRoots: roots && ((options?: AskOptions) => ask('roots/list', undefined, options)),
  }
}

/**
 * The answers of a client of the older era, which is asked while its call runs. A person may take long: a question ends
 * when whoever asked withdraws it, else with `signal`.
 */
export function answersWhileRunning(
  server: Server,
  send: ServerContext['mcpReq']['send'],
  signal?: AbortSignal,
): CallerAnswers {
  const ask: Ask = (method, params, { progress, ...options } = {}) =>
    send(
      { method, params: params as never },
      {
        signal: options.signal ?? signal,
        timeout: 0x7fff_ffff,
        onprogress: progress && (({ progress: done, total, message }) => progress({ done, total, message })),
      },
    )
  const answers = answersOf(server.getClientCapabilities(), ask)
  return { ...answers, onElicited: tellElicited(server), client: server }
}

/** Tells a client of the older era that what its user was sent to a page for has ended there. */
function tellElicited(server: Server): (id: string) => void {
  return (elicitationId) =>
    void server
      .notification({ method: 'notifications/elicitation/complete', params: { elicitationId } })
      .catch(() => {})
}

/** Whether a client with these capabilities can be asked anything. */
export function canBeAsked({ elicitation, sampling, roots }: ClientCapabilities): boolean {
  return elicitation !== undefined || sampling !== undefined || roots !== undefined
}
