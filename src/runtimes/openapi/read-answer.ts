// The answer of an API as a result: the parsed body; status and headers stand in `meta` (U12).
import type { Json } from '../../tool/json.ts'
import { ToolError } from '../../tool/tool-error.ts'
import { type Answer, headersOf, isJsonType, retriedStatuses, textOf } from '../http-exchange.ts'
import type { Attempt } from '../runtime.ts'

const maxErrorChars = 4_000

export function readAnswer(attempt: Attempt, answer: Answer): unknown {
  const { status } = answer
  attempt.meta({ status, headers: headersOf(answer) })
  if (status < 200 || status > 299) throw failure(attempt, answer)
  return bodyValue(answer)
}

function bodyValue(answer: Answer): unknown {
  const type = answer.headers['content-type'] ?? ''
  if (answer.body.length === 0) return null
  if (isJsonType(type)) return parsed(answer, type)
  const mimeType = type.split(';', 1)[0]!.trim().toLowerCase()
  if (/^(image|audio)\//.test(mimeType) && mimeType !== 'image/svg+xml')
    return { content: [{ type: mimeType.split('/')[0]!, data: answer.body.toString('base64'), mimeType }] }
  if (answer.body.includes(0)) {
    const uri = `${answer.url.origin}${answer.url.pathname}`
    return {
      content: [{ type: 'resource', resource: { uri, mimeType, blob: answer.body.toString('base64') } }],
    }
  }
  return textOf(answer)
}

function parsed(answer: Answer, type: string): unknown {
  const text = textOf(answer)
  try {
    return text.trim() === '' ? null : JSON.parse(text)
  } catch (error) {
    throw new ToolError(
      'TOOL_FAILED',
      `${answer.url.origin} answered ${type} that is no JSON: ${(error as Error).message}.`,
      { details: { status: answer.status, body: text.slice(0, maxErrorChars) } },
    )
  }
}

/** 4xx and 5xx; those that may pass by themselves can be tried again, after the time that the server asks for. */
function failure({ tool }: Attempt, answer: Answer): ToolError {
  const { status, statusText, url } = answer
  const text = textOf(answer)
  const retryAfterMs = retryAfter(answer)
  const said = text.trim().slice(0, 300)
  return new ToolError('TOOL_FAILED', `${url.origin} answered ${status} ${statusText}`.trimEnd(), {
    hint: hintOf(status, tool.id, said),
    details: {
      status,
      body: bodyOf(answer, text),
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    },
    retryable: retriedStatuses.includes(status),
  })
}

function hintOf(status: number, id: string, said: string): string {
  const words = said === '' ? 'The answer had no text.' : `It says: ${said}`
  if (status === 401 || status === 403)
    return `${words}\nSee which secrets it sends with \`toolcrib show ${id}\`.`
  return words
}

function bodyOf(answer: Answer, text: string): Json {
  if (isJsonType(answer.headers['content-type'] ?? '') && text.length <= maxErrorChars * 4) {
    try {
      return JSON.parse(text) as Json
    } catch {
      // It is told as text.
    }
  }
  return text.slice(0, maxErrorChars)
}

function retryAfter({ headers }: Answer): number | undefined {
  const given = headers['retry-after']
  if (given === undefined) return undefined
  const seconds = Number(given)
  const ms = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(given) - Date.now()
  return Number.isFinite(ms) && ms >= 0 ? Math.round(ms) : undefined
}
