// From the configuration of an HTTP tool to the request it sends. A placeholder without a value ends the call
// before anything is sent.
import type { Json } from '../../tool/json.ts'
import { isPlainObject } from '../../tool/json.ts'
import { ToolError } from '../../tool/tool-error.ts'
import type { Setting } from './setting.ts'
import { expand, textOf } from './template.ts'

export interface HttpRequest {
  readonly method: string
  readonly url: URL
  readonly headers: Record<string, string>
  readonly body: string | undefined
  /** Header that carries a secret, besides the usual ones. */
  readonly secretHeader: string | null
  /** Headers in which the definition itself writes a placeholder of a secret. */
  readonly placeholderHeaders: readonly string[]
  readonly timeoutMs: number
}

const defaultTimeoutSeconds = 30

export function buildRequest(setting: Setting): HttpRequest {
  const { config } = setting.plan
  const text = (key: string, fallback: string) =>
    textOf(filled(config[key] ?? fallback, setting, { place: `config.${key}`, key }))
  const method = text('method', 'GET').toUpperCase()
  const headers: Record<string, string> = {}
  if (isPlainObject(config['headers'])) {
    for (const [name, template] of Object.entries(config['headers']))
      setHeader(headers, name, textOf(filled(template as Json, setting, { place: `config.headers.${name}` })))
  }
  const secretHeader = addAuth(headers, setting)
  const body =
    config['body'] === undefined
      ? undefined
      : bodyOf(filled(config['body'], setting, { place: 'config.body', key: 'body' }), headers)
  const seconds = Number(text('timeout', String(defaultTimeoutSeconds)))
  return {
    method,
    url: urlOf(setting),
    headers,
    body,
    secretHeader,
    placeholderHeaders: Object.entries(isPlainObject(config['headers']) ? config['headers'] : {}).flatMap(
      ([name, template]) => (String(template).includes('{{secret:') ? [name] : []),
    ),
    timeoutMs: (seconds > 0 ? seconds : defaultTimeoutSeconds) * 1_000,
  }
}

function filled(
  template: Json,
  setting: Setting,
  {
    place,
    key,
    encode,
  }: { readonly place: string; readonly key?: string; readonly encode?: (text: string) => string },
): Json {
  const { value, missing } = expand(template, setting.scope, {
    key,
    encode,
  })
  if (missing.length > 0) {
    throw new ToolError('PARAMS_INVALID', `{${missing[0]}} in ${place} has no value; nothing was sent.`, {
      hint: `Pass ${missing[0]}, or give the parameter a default.`,
      details: {
        violations: missing.map((name) => ({
          pointer: `/${name}`,
          message: `has no value (used in ${place})`,
        })),
      },
    })
  }
  return value
}

function urlOf(setting: Setting): URL {
  const template = setting.plan.config['url']
  if (typeof template !== 'string' || template === '') {
    throw new ToolError('TOOL_NOT_CALLABLE', 'The definition has no config.url.', { hint: 'Add config.url.' })
  }
  const text = textOf(
    filled(template, setting, { place: 'config.url', key: 'url', encode: encodeURIComponent }),
  )
  let url: URL
  try {
    url = new URL(text)
  } catch {
    throw new ToolError('PARAMS_INVALID', `config.url comes to ${JSON.stringify(text)}, which is no URL.`, {
      hint: 'It must start with http:// or https://.',
    })
  }
  if (url.protocol === 'http:' || url.protocol === 'https:') return url
  throw new ToolError(
    'PARAMS_INVALID',
    `config.url comes to ${url.protocol}//…; only http and https are sent.`,
  )
}

function addAuth(headers: Record<string, string>, setting: Setting): string | null {
  const auth = setting.plan.config['auth']
  if (!isPlainObject(auth)) return null
  const part = (key: string) =>
    textOf(filled((auth[key] ?? '') as Json, setting, { place: `config.auth.${key}` }))
  if (auth['type'] === 'bearer') {
    setHeader(headers, 'Authorization', `Bearer ${part('token')}`)
    return null
  }
  if (auth['type'] === 'api_key') {
    const name = part('header') || 'X-API-Key'
    setHeader(headers, name, part('key'))
    return name.toLowerCase()
  }
  throw new ToolError(
    'TOOL_INVALID',
    `config.auth.type is ${JSON.stringify(auth['type'])}; use bearer or api_key.`,
  )
}

function setHeader(headers: Record<string, string>, name: string, value: string): void {
  if (/[\r\n]/.test(value) || /[^\t\x20-\x7e\x80-\xff]/.test(value)) {
    throw new ToolError(
      'PARAMS_INVALID',
      `The header ${name} would have a line break or a character HTTP does not allow.`,
      {
        details: { header: name },
      },
    )
  }
  const same = Object.keys(headers).find((known) => known.toLowerCase() === name.toLowerCase())
  headers[same ?? name] = value
}

function bodyOf(value: Json, headers: Record<string, string>): string {
  if (typeof value !== 'object' || value === null) return textOf(value)
  if (!Object.keys(headers).some((name) => name.toLowerCase() === 'content-type'))
    headers['Content-Type'] = 'application/json'
  return JSON.stringify(value)
}
