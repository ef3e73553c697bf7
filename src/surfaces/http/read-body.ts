// Reads a request's JSON body within a limit, refusing early what says it is too large.
import { HttpProblem } from './problem-json.ts'

const maxBodyBytes = 10 * 1024 * 1024

/** The text of a body; throws 413 past the limit. */
export async function readText(request: Request, maxBytes = maxBodyBytes): Promise<string> {
  const declared = Number(request.headers.get('content-length') ?? 0)
  if (declared > maxBytes) throw tooLarge(maxBytes)
  if (!request.body) return ''
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of request.body as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.length
    if (size > maxBytes) throw tooLarge(maxBytes)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** The JSON of a body; an empty one is undefined. */
export async function readJson(request: Request, maxBytes = maxBodyBytes): Promise<unknown> {
  const type = request.headers.get('content-type')
  const text = await readText(request, maxBytes)
  if (text.trim() === '') return undefined
  if (!isJsonType(type))
    throw new HttpProblem(
      415,
      'BODY_INVALID',
      `The body is ${type ?? 'of no stated type'}, not application/json.`,
      {
        hint: 'Send Content-Type: application/json.',
      },
    )
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new HttpProblem(400, 'BODY_INVALID', `The body is not valid JSON: ${(error as Error).message}.`, {
      hint: 'Send one JSON document in UTF-8.',
    })
  }
}

export function isJsonType(type: string | null): boolean {
  return /^application\/(json|[\w.-]+\+json)\s*(;|$)/i.test(type ?? '')
}

function tooLarge(maxBytes: number): HttpProblem {
  return new HttpProblem(413, 'BODY_TOO_LARGE', `The body is larger than ${maxBytes} bytes.`, {
    headers: { connection: 'close' },
  })
}
