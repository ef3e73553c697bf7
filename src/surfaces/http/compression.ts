// Which encodings an answer may have, and JSON made small on its way out. The files of the console are made small when
// they are built (scripts/build.mjs).
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

const gzipped = promisify(gzip)
/** Less than this travels as it is: it fits a packet, and packing it takes longer than sending it. */
const leastBytes = 1_024
/** Most of what the slowest level saves, at a fraction of its time. */
const level = 4

interface Packed {
  readonly body: string | Uint8Array<ArrayBuffer>
  readonly headers: { readonly [name: string]: string }
}

/** What `Accept-Encoding` says of one encoding. */
export function accepts(request: Request, encoding: string): boolean {
  return (request.headers.get('accept-encoding') ?? '').split(',').some((each) => {
    const [name = '', ...parameters] = each.split(';').map((part) => part.trim().toLowerCase())
    return name === encoding && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))
  })
}

/** JSON over 1 KB is packed for whoever takes it so. */
export async function packedJson(text: string, request: Request): Promise<Packed> {
  if (text.length < leastBytes) return { body: text, headers: {} }
  const headers = { vary: 'accept-encoding' }
  if (!accepts(request, 'gzip')) return { body: text, headers }
  const body = new Uint8Array(await gzipped(text, { level }))
  return { body, headers: { ...headers, 'content-encoding': 'gzip' } }
}
