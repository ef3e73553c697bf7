// What full text search finds a crumb by.
import type { Json } from '../tool/json.ts'
import type { Crumb } from './crumb.ts'

const maxTextLength = 65_536

/** The words of a crumb: title, description, tags and every text and number of its context. */
export function textOf(crumb: Crumb): string {
  const parts: string[] = [crumb.title, crumb.description ?? '', ...crumb.tags]
  let length = 0
  const visit = (value: Json): void => {
    if (length > maxTextLength) return
    if (typeof value === 'string' || typeof value === 'number') {
      parts.push(String(value))
      length += String(value).length
    } else if (typeof value === 'object' && value !== null) {
      for (const item of Object.values(value)) visit(item)
    }
  }
  visit(crumb.context)
  return parts.join(' ').slice(0, maxTextLength)
}
