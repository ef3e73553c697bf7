// Reads a request's JSON body within a limit, refusing early what says it is too large.
import { isUtf8 } from 'node:buffer'
import { setTimeout as delay } from 'node:timers/promises'
import { hasTooManyValues, isNestedDeeper, maxLevels, maxValues } from '../../tool/json.ts'
import { HttpProblem } from './problem-json.ts'

type Body = ReadableStreamDefaultReader<Uint8Array>

const maxBodyBytes = 10 * 1024 * 1024
/** How much of a refused body is taken all the same, and how long its next piece may be in coming. */
const discarded = { maxBytes: 64 * 1024 * 1024, quietMs: 200 }

/** The text of a body; throws 413 past the limit, and 400 where it is no UTF-8. */
export async function readText(request: Request, maxBytes = maxBodyBytes): Promise<string> {
  if (!request.body) return ''
  const body = request.body.getReader()
  const declared = Number(request.headers.get('content-length') ?? 0)
  if (declared > maxBytes) throw await tooLarge(body, maxBytes)
  const chunks: Uint8Array[] = []
  let size = 0
  for (let next = await body.read(); !next.done; next = await body.read()) {
    size += next.value.length
    if (size > maxBytes) throw await tooLarge(body, maxBytes)
    chunks.push(next.value)
  }
  const bytes = Buffer.concat(chunks)
  // Checked without decoding, which would put marks in place of what is wrong.
  if (!isUtf8(bytes)) throw notUtf8(bytes)
  return bytes.toString('utf8')
}

function notUtf8(bytes: Buffer): HttpProblem {
  const at = firstBadByte(bytes)
  return new HttpProblem(
    'BODY_INVALID',
    `The body is not UTF-8: what begins at byte ${at} (0x${bytes[at]!.toString(16).padStart(2, '0')}) is no character.`,
    { hint: 'Send one JSON document in UTF-8.' },
  )
}

/** Where the first sequence begins that is no character. */
function firstBadByte(bytes: Buffer): number {
  let [sound, length] = [0, bytes.length + 1]
  // The longest beginning with no fault in it; a character that is cut off at its end is none yet.
  while (length - sound > 1) {
    const middle = Math.floor((sound + length) / 2)
    if (begun(bytes, middle) === undefined) length = middle
    else sound = middle
  }
  return Buffer.byteLength(begun(bytes, sound)!)
}

function begun(bytes: Buffer, length: number): string | undefined {
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
    return decoder.decode(bytes.subarray(0, length), { stream: true })
  } catch {
    return undefined
  }
}

/** The JSON of a body; an empty one is undefined. */
export async function readJson(request: Request, maxBytes = maxBodyBytes): Promise<unknown> {
  const type = request.headers.get('content-type')
  const text = await readText(request, maxBytes)
  if (text.trim() === '') return undefined
  if (!isJsonType(type))
    throw new HttpProblem(
      'BODY_NOT_JSON',
      `The body is ${type ?? 'of no stated type'}, not application/json.`,
      { hint: 'Send Content-Type: application/json.' },
    )
  refuseCostly(text)
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new HttpProblem('BODY_INVALID', `The body is not valid JSON: ${(error as Error).message}.`, {
      hint: 'Send one JSON document in UTF-8.',
    })
  }
}

/** What would take long to read, or long to walk through, is refused before it is (G22). */
export function refuseCostly(text: string): void {
  const why = isNestedDeeper(text, maxLevels)
    ? `is nested deeper than ${maxLevels} levels`
    : hasTooManyValues(text)
      ? `holds more than ${maxValues} values`
      : undefined
  if (why !== undefined) throw new HttpProblem('BODY_INVALID', `The body ${why}.`)
}

export function isJsonType(type: string | null): boolean {
  return /^application\/(json|[\w.-]+\+json)\s*(;|$)/i.test(type ?? '')
}

/** The refusal, once the client has sent the rest: one that still sends finds the connection closed, not the answer. */
async function tooLarge(body: Body, maxBytes: number): Promise<HttpProblem> {
  for (let size = 0; size < discarded.maxBytes; ) {
    const next = await Promise.race([body.read(), delay(discarded.quietMs)])
    if (!next || next.done) break
    size += next.value.length
  }
  return new HttpProblem('BODY_TOO_LARGE', `The body is larger than ${maxBytes} bytes.`, {
    headers: { connection: 'close' },
  })
}
