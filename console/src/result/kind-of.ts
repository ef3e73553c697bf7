// What a value is to a reader: a picture, a text with marks, a difference, a table, several fields, or plain data.
import { isFields } from './unwrap.ts'

export type Kind = 'nothing' | 'scalar' | 'text' | 'markdown' | 'image' | 'diff' | 'table' | 'fields' | 'data'

const mostFields = 16
/** A text is judged by its beginning. */
const judged = 20_000
const marks = [
  /^#{1,6} \S/m,
  /^\s*\|?[ :]*-{3,}[-| :]*\|/m,
  /^(```|~~~)/m,
  /\*\*[^*\n]+\*\*/,
  /\[[^\]\n]+\]\(\S+\)/,
  /^(\s*[-*+] \S.*\n){2}/m,
  /^(\s*\d+\. \S.*\n){2}/m,
]

export function kindOf(value: unknown): Kind {
  if (value === undefined || value === null || value === '') return 'nothing'
  if (typeof value === 'string') return textKind(value)
  if (typeof value !== 'object') return 'scalar'
  if (rowsOf(value)) return 'table'
  if (isFields(value) && hasViews(value)) return 'fields'
  return Array.isArray(value) && value.some((item) => isShown(item)) && value.length <= mostFields
    ? 'fields'
    : 'data'
}

function textKind(text: string): Kind {
  if (imageSource(text)) return 'image'
  const start = text.slice(0, judged)
  if (/^diff --git /m.test(start) || /^--- .*\n\+\+\+ .*\n@@ -\d/m.test(start)) return 'diff'
  if (text.includes('\n') && marks.some((mark) => mark.test(start))) return 'markdown'
  return text.includes('\n') || text.length > 120 ? 'text' : 'scalar'
}

/** An object with something in it that is better seen than read as JSON. */
function hasViews(value: { readonly [key: string]: unknown }): boolean {
  const entries = Object.values(value)
  return entries.length <= mostFields && entries.some(isShown)
}

function isShown(value: unknown): boolean {
  return ['image', 'markdown', 'diff', 'table', 'text'].includes(kindOf(value))
}

export interface Rows {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly unknown[])[]
}

const mostColumns = 30

/** A list of objects with columns in common. */
export function rowsOf(value: unknown): Rows | null {
  if (!Array.isArray(value) || value.length === 0 || !value.every(isFields)) return null
  const counts = new Map<string, number>()
  for (const item of value) for (const key of Object.keys(item)) counts.set(key, (counts.get(key) ?? 0) + 1)
  const columns = [...counts.keys()]
  // Objects that share next to nothing make no table.
  const shared = [...counts.values()].filter((count) => count * 2 >= value.length).length
  if (columns.length === 0 || columns.length > mostColumns || shared * 2 < columns.length) return null
  return { columns, rows: value.map((item) => columns.map((column) => item[column])) }
}

/** The address of a picture. SVG is shown as a picture, in which no script runs. */
export function imageSource(text: string): string | null {
  if (/^data:image\/[\w.+-]+[;,]/.test(text)) return text
  if (!/^\s*(<\?xml[^>]*>\s*)?<svg[\s>]/.test(text.slice(0, 500))) return null
  return `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`
}
