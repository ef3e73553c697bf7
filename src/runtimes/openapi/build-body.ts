// The body of a request in the media type of its operation. Files are read from the project, within the call's profile.
import { randomBytes } from 'node:crypto'
import { basename, join, relative, resolve } from 'node:path'
import { isInside } from '../../files/is-inside.ts'
import { readBelow } from '../../files/open-below.ts'
import { isPlainObject } from '../../tool/json.ts'
import type { ApiBody, ParamStyle } from '../../tool/plans/openapi-plan.ts'
import { ToolError } from '../../tool/tool-error.ts'
import type { Attempt } from '../runtime.ts'
import { headerText, plainText, queryParts } from './serialise.ts'

export interface BuiltBody {
  readonly type: string
  readonly bytes: string | Uint8Array
}

const maxFileBytes = 64 * 1_048_576

/** Reads a file of the project for a call. */
export type ReadFile = (path: string) => Buffer

export function buildBody(plan: ApiBody, value: unknown, readFile: ReadFile): BuiltBody {
  const { mediaType, kind } = plan
  if (kind === 'json') return { type: mediaType, bytes: JSON.stringify(value) }
  if (kind === 'form') return { type: mediaType, bytes: formText(plan, value) }
  if (kind === 'multipart') return multipart(plan, value, readFile)
  if (kind === 'binary')
    return {
      type: mediaType.includes('*') ? 'application/octet-stream' : mediaType,
      bytes: readFile(plainText(value)),
    }
  return { type: mediaType, bytes: plainText(value) }
}

function formText(plan: ApiBody, value: unknown): string {
  if (!isPlainObject(value)) return plainText(value)
  return Object.entries(value)
    .flatMap(([name, item]) => {
      const { style, explode, contentType, isStyled } = encodingOf(plan, name)
      // An object is JSON unless the document says how it is spread (OpenAPI 3.0.4, Encoding Object).
      if (/json/i.test(contentType ?? '') || (isPlainObject(item) && !isStyled))
        return queryParts(name, JSON.stringify(item), { style: 'form', explode: true })
      return queryParts(name, item, { style, explode })
    })
    .join('&')
    .replace(/%20/g, '+')
}

function encodingOf({ encoding }: ApiBody, name: string) {
  const given = encoding && Object.hasOwn(encoding, name) ? encoding[name] : undefined
  const style = (given?.['style'] ?? 'form') as ParamStyle
  const explode = typeof given?.['explode'] === 'boolean' ? given['explode'] : style === 'form'
  const contentType = typeof given?.['contentType'] === 'string' ? given['contentType'] : undefined
  const isStyled = ['style', 'explode', 'allowReserved'].some((key) => given?.[key] !== undefined)
  return { style, explode, contentType, isStyled }
}

function multipart(plan: ApiBody, value: unknown, readFile: ReadFile): BuiltBody {
  const boundary = `toolcrib-${randomBytes(16).toString('hex')}`
  const chunks: Buffer[] = []
  for (const [name, given] of Object.entries(isPlainObject(value) ? value : {})) {
    const isFile = plan.files?.includes(name) === true
    const { contentType, style, explode } = encodingOf(plan, name)
    const isJoined = Array.isArray(given) && !isFile && !explode
    const items = isJoined ? [headerText({ style, explode }, given)] : Array.isArray(given) ? given : [given]
    for (const item of items) {
      const data = isFile ? readFile(plainText(item)) : Buffer.from(plainText(item))
      const type =
        contentType?.split(',')[0]?.trim() ??
        (isFile
          ? 'application/octet-stream'
          : typeof item === 'object' && item !== null
            ? 'application/json'
            : undefined)
      const file = isFile ? `; filename="${quoted(basename(plainText(item)))}"` : ''
      const head = `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"${file}\r\n`
      chunks.push(
        Buffer.from(`${head}${type ? `Content-Type: ${headerSafe(type)}\r\n` : ''}\r\n`),
        data,
        Buffer.from('\r\n'),
      )
    }
  }
  chunks.push(Buffer.from(`--${boundary}--\r\n`))
  const type = plan.mediaType.includes('*') ? 'multipart/form-data' : plan.mediaType
  return { type: `${type}; boundary=${boundary}`, bytes: Buffer.concat(chunks) }
}

/** As browsers write names in forms. */
function quoted(text: string): string {
  return text.replace(/["\r\n]/g, (char) => encodeURIComponent(char))
}

function headerSafe(text: string): string {
  return text.replace(/[^\t\x20-\x7e]/g, '')
}

/** A file of the project that the call's profile opens; nothing else, whatever the path says. */
export function projectFile(attempt: Attempt, project: string): ReadFile {
  const { read, hidden } = attempt.profile
  const isOpen = (file: string) =>
    isInside(file, project) &&
    read.some((area) => isInside(file, area)) &&
    !hidden.some((place) => isInside(file, place))
  return (path) => {
    const file = resolve(project, path)
    // A link inside the crib is judged by where it leads.
    const bytes = isOpen(file)
      ? readBelow(project, relative(project, file), maxFileBytes, (within) => isOpen(join(project, within)))
      : undefined
    if (bytes) return bytes
    throw new ToolError(
      'PATH_OUTSIDE',
      `${path} is no file of the crib that ${attempt.tool.id} may read; nothing was sent.`,
      {
        hint: 'Name a file inside the crib, by its path from the root, of at most 64 MiB.',
      },
    )
  }
}
