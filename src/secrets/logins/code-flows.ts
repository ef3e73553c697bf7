// People on their way: each was sent to an identity provider with a state and a code challenge of their own and comes
// back once, or not at all.
import { randomBytes } from 'node:crypto'
import { startAuthorization, validateAuthorizationResponseIssuer } from '@modelcontextprotocol/client'
import type { LoginTarget } from '../../runtimes/server-logins.ts'
import { ToolError } from '../../tool/tool-error.ts'
import { tokensForCode } from './fetch-tokens.ts'
import { providerFault } from './login-errors.ts'
import type { LoginRecord } from './login-records.ts'
import type { ProviderFetch } from './provider-fetch.ts'

interface Flow {
  readonly target: LoginTarget
  readonly record: LoginRecord
  readonly redirectUri: string
  readonly codeVerifier: string
  readonly fetch: ProviderFetch
  readonly endsAtMs: number
  settle(error?: unknown): void
}

/** A person was sent away; `done` settles when they are back, or when it is too late. */
export interface StartedFlow {
  /** The page of the identity provider. */
  readonly address: string
  readonly state: string
  readonly done: Promise<void>
}

const waitMs = 10 * 60_000
const maxFlows = 1_000

export class CodeFlows {
  readonly #flows = new Map<string, Flow>()

  async start(
    target: LoginTarget,
    record: LoginRecord,
    { redirectUri, scope, fetch }: { redirectUri: string; scope: string | undefined; fetch: ProviderFetch },
  ): Promise<StartedFlow> {
    const state = randomBytes(32).toString('base64url')
    const { authorizationUrl, codeVerifier } = await startAuthorization(record.provider.issuer, {
      metadata: record.provider,
      clientInformation: record.client,
      redirectUrl: redirectUri,
      scope,
      state,
      resource: record.resource,
    })
    this.#forgetOld()
    const endsAtMs = Date.now() + waitMs
    const done = new Promise<void>((resolve, reject) => {
      const settle = (error?: unknown) => (error === undefined ? resolve() : reject(error))
      this.#flows.set(state, { target, record, redirectUri, codeVerifier, fetch, endsAtMs, settle })
    })
    // Whoever only shows the address does not wait.
    done.catch(() => {})
    return { address: authorizationUrl.href, state, done }
  }

  /** Takes what came back in a callback, once; gives the record with its tokens. */
  async finish(
    callback: URLSearchParams,
    keep: (target: LoginTarget, record: LoginRecord) => Promise<void>,
  ): Promise<LoginTarget> {
    const state = callback.get('state') ?? ''
    const flow = this.#flows.get(state)
    this.#flows.delete(state)
    if (!flow || flow.endsAtMs <= Date.now())
      throw new ToolError('FORBIDDEN', 'Nobody waits for this log-in: it is over, or was never begun.', {
        hint: 'Begin again with `toolcrib login <server>`.',
      })
    try {
      await keep(flow.target, await withTokens(flow, callback))
      flow.settle()
      return flow.target
    } catch (error) {
      const fault = providerFault(flow.target.name, error)
      flow.settle(fault)
      throw fault
    }
  }

  giveUp(state: string, error: unknown): void {
    this.#flows.get(state)?.settle(error)
    this.#flows.delete(state)
  }

  #forgetOld(): void {
    for (const [state, { endsAtMs, target }] of this.#flows) {
      if (endsAtMs > Date.now() && this.#flows.size < maxFlows) return
      this.giveUp(state, new ToolError('TIMEOUT', `Nobody finished the log-in to "${target.name}".`))
    }
  }
}

async function withTokens(flow: Flow, callback: URLSearchParams): Promise<LoginRecord> {
  const { record, codeVerifier, redirectUri, fetch } = flow
  const { issuer, authorization_response_iss_parameter_supported: hasIss } = record.provider
  const iss = callback.get('iss') ?? undefined
  // Before anything else is believed, an error included. The document of an API names no issuer.
  if (!record.isGiven)
    validateAuthorizationResponseIssuer({
      iss,
      expectedIssuer: issuer,
      issParameterSupported: hasIss === true,
    })
  const code = callback.get('code')
  if (!code)
    throw new ToolError('FORBIDDEN', `The log-in to "${flow.target.name}" was refused at ${issuer}.`, {
      hint: 'Begin again and agree to what is asked there.',
      details: { server: flow.target.name },
    })
  return {
    ...record,
    tokens: await tokensForCode(
      record,
      { code, iss: record.isGiven ? undefined : iss, codeVerifier, redirectUri },
      fetch,
    ),
  }
}
