// In which forms a result can be shown: the tables, texts and images that are in it.

export interface Rows {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly unknown[])[]
}

type Record_ = { readonly [key: string]: unknown }

function isRecord(value: unknown): value is Record_ {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A list of objects or of plain values, also when it is the only list in an object. */
export function rowsIn(value: unknown): Rows | null {
  const list = Array.isArray(value) ? value : onlyList(value)
  if (!list || list.length === 0) return null
  if (list.every(isRecord)) {
    const columns = [...new Set(list.flatMap((item) => Object.keys(item)))].slice(0, 30)
    return columns.length === 0
      ? null
      : { columns, rows: list.map((item) => columns.map((column) => item[column])) }
  }
  return list.some((item) => typeof item === 'object' && item !== null)
    ? null
    : { columns: ['value'], rows: list.map((item) => [item]) }
}

function onlyList(value: unknown): readonly unknown[] | null {
  if (!isRecord(value)) return null
  const lists = Object.values(value).filter(Array.isArray)
  return lists.length === 1 && lists[0]!.every(isRecord) ? lists[0]! : null
}

/** The text of a result: itself, or the text parts of an MCP answer. */
export function textIn(value: unknown): string | null {
  if (typeof value === 'string') return imageSource(value) ? null : value
  const parts = contentParts(value).filter((part) => part['type'] === 'text')
  if (parts.length > 0) return parts.map((part) => String(part['text'] ?? '')).join('\n')
  if (isRecord(value)) {
    const outputs = ['output', 'stdout', 'text', 'content'].filter((key) => typeof value[key] === 'string')
    if (outputs.length === 1 && String(value[outputs[0]!]).includes('\n')) return String(value[outputs[0]!])
  }
  return null
}

/** Sources of pictures: data addresses, SVG text, image parts of an MCP answer. */
export function imagesIn(value: unknown): string[] {
  if (typeof value === 'string') return [imageSource(value)].filter((source) => source !== null)
  const parts = contentParts(value).flatMap((part) =>
    part['type'] === 'image' && typeof part['data'] === 'string'
      ? [`data:${safeType(part['mimeType'])};base64,${part['data']}`]
      : [],
  )
  if (parts.length > 0 || !isRecord(value)) return parts
  return Object.values(value).flatMap((inner) =>
    typeof inner === 'string' && inner.startsWith('data:image/') ? [inner] : [],
  )
}

function contentParts(value: unknown): readonly Record_[] {
  const content = isRecord(value) ? value['content'] : value
  return Array.isArray(content) && content.every((part) => isRecord(part) && typeof part['type'] === 'string')
    ? content
    : []
}

/** SVG is shown as a picture, in which no script runs. */
function imageSource(text: string): string | null {
  if (/^data:image\/[\w.+-]+[;,]/.test(text)) return text
  return /^\s*<svg[\s>]/.test(text) ? `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}` : null
}

function safeType(type: unknown): string {
  return typeof type === 'string' && /^image\/[\w.+-]+$/.test(type) ? type : 'image/png'
}
