// Requests to identity providers: behind the net guard, with a time limit and a limit of size. Redirects are never
// followed here; the SDK follows those that stay where they were sent.
import type { NetGuard } from '../../runtimes/net-guard.ts'
import { type LoginTarget, loginNetwork } from '../../runtimes/server-logins.ts'
import { ToolError } from '../../tool/tool-error.ts'

const maxBytes = 1024 * 1024
const emptyStatuses = [101, 204, 205, 304]

export type ProviderFetch = (input: string | URL, init?: RequestInit) => Promise<Response>

export function providerFetch(target: LoginTarget, guard: NetGuard, timeoutMs: number): ProviderFetch {
  const guarded = guard.fetch(loginNetwork(target))
  return async (input, init) => {
    const { origin } = new URL(input)
    const late = AbortSignal.timeout(timeoutMs)
    try {
      const response = await guarded(input, { ...init, redirect: 'manual', signal: late })
      const body = await bytesOf(response, origin)
      const { status, statusText, headers } = response
      return new Response(emptyStatuses.includes(status) ? null : body, { status, statusText, headers })
    } catch (error) {
      if (!late.aborted) throw error
      throw new ToolError('UPSTREAM_FAILED', `${origin} did not answer within ${timeoutMs / 1000} s.`, {
        hint: 'Try again later.',
        retryable: true,
        details: { server: target.name },
      })
    }
  }
}

async function bytesOf(response: Response, origin: string): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    // Leaving the loop ends the connection.
    if (bytes > maxBytes)
      throw new ToolError('UPSTREAM_FAILED', `${origin} answered with more than ${maxBytes} bytes.`, {
        hint: 'This is no identity provider.',
      })
    chunks.push(chunk)
  }
  return new Uint8Array(Buffer.concat(chunks))
}
