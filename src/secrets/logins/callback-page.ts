// What a person sees in the browser when the identity provider has sent them back.
import { messageOf } from '../../tool/tool-error.ts'

export interface CallbackPage {
  readonly status: number
  readonly headers: { readonly [name: string]: string }
  readonly body: string
}

/** Nothing of the callback itself is shown. */
export function callbackPage(
  outcome: { readonly server: string } | { readonly error: unknown },
): CallbackPage {
  const isIn = 'server' in outcome
  const text = isIn ? `Logged in to ${outcome.server}.` : messageOf(outcome.error)
  const next = isIn ? 'You can close this page.' : 'Close this page and begin again.'
  return {
    status: isIn ? 200 : 400,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
    },
    body: `<!doctype html><html lang="en"><title>Toolcrib</title><h1>${escaped(text)}</h1><p>${next}</p></html>\n`,
  }
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`)
}
