// Takes a result out of the envelopes it comes in: `{ success, data }`, `{ output }`, and the content of an MCP answer.

export interface Unwrapped {
  readonly value: unknown
  /** What was taken off, outermost first. */
  readonly envelopes: readonly string[]
}

type Fields = { readonly [key: string]: unknown }

const deepest = 4
/** Beside the payload an envelope holds nothing but these. */
const besideData = new Set(['success', 'ok', 'data', 'message', 'error', 'warnings', 'meta', 'metadata'])

export function unwrap(given: unknown): Unwrapped {
  let value = given
  const envelopes: string[] = []
  for (let depth = 0; depth < deepest; depth++) {
    const inner = opened(value)
    if (!inner) break
    envelopes.push(inner.name)
    value = inner.value
  }
  return { value, envelopes }
}

function opened(value: unknown): { readonly name: string; readonly value: unknown } | null {
  if (!isFields(value)) return null
  const keys = Object.keys(value)
  if (typeof value['success'] === 'boolean' && 'data' in value && keys.every((key) => besideData.has(key)))
    return { name: '{ success, data }', value: value['data'] }
  if (keys.length === 1 && 'output' in value) return { name: '{ output }', value: value['output'] }
  if (!isContent(value['content'])) return null
  if (value['structuredContent'] !== undefined)
    return { name: 'MCP structuredContent', value: value['structuredContent'] }
  const parts = value['content'].map(partValue)
  return { name: 'MCP content', value: parts.length === 1 ? parts[0] : parts }
}

/** One part of an MCP answer as the value it stands for. */
function partValue(part: Fields): unknown {
  if (part['type'] === 'text' && typeof part['text'] === 'string') return jsonOr(part['text'])
  if (part['type'] === 'image' && typeof part['data'] === 'string')
    return `data:${imageType(part['mimeType'])};base64,${part['data']}`
  const resource = part['resource']
  if (part['type'] === 'resource' && isFields(resource) && typeof resource['text'] === 'string')
    return resource['text']
  return part
}

function jsonOr(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function isContent(value: unknown): value is readonly Fields[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((part) => isFields(part) && typeof part['type'] === 'string')
  )
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function imageType(type: unknown): string {
  return typeof type === 'string' && /^image\/[\w.+-]+$/.test(type) ? type : 'image/png'
}
