// Values of parameters as OpenAPI writes them: style and explode, place by place.
import { isPlainObject } from '../../tool/json.ts'
import type { ApiParam } from '../../tool/plans/openapi-plan.ts'

type Style = Pick<ApiParam, 'style' | 'explode' | 'allowReserved'>

/** A value as one text: numbers and booleans as they are, what has parts as JSON. */
export function plainText(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

const reserved = /%(3A|2F|3F|23|5B|5D|40|21|24|26|27|28|29|2A|2B|2C|3B|3D)/gi

/** Percent-encoded by RFC 3986; reserved characters stay where the document allows them. */
function encoded(text: string, allowReserved = false): string {
  const all = encodeURIComponent(Buffer.from(text).toString()).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return allowReserved ? all.replace(reserved, (code) => decodeURIComponent(code)) : all
}

function entriesOf(value: object): [string, unknown][] {
  return Object.entries(value).filter(([, item]) => item !== undefined)
}

/** A part of the path. */
export function pathText({ name, style, explode }: ApiParam, value: unknown): string {
  const text = (item: unknown) => encoded(plainText(item))
  const key = encoded(name)
  if (Array.isArray(value)) {
    const items = value.map(text)
    if (style === 'label') return items.length > 0 ? `.${items.join(explode ? '.' : ',')}` : ''
    if (style === 'matrix')
      return explode ? items.map((item) => `;${key}=${item}`).join('') : `;${key}=${items.join(',')}`
    return items.join(separators[style] ?? ',')
  }
  if (isPlainObject(value)) {
    const pairs = entriesOf(value).map(([part, item]) => [encoded(part), text(item)] as const)
    const flat = pairs.flat().join(',')
    const exploded = pairs.map(([part, item]) => `${part}=${item}`)
    if (style === 'label') return explode ? exploded.map((pair) => `.${pair}`).join('') : `.${flat}`
    if (style === 'matrix') return explode ? exploded.map((pair) => `;${pair}`).join('') : `;${key}=${flat}`
    return explode ? exploded.join(',') : flat
  }
  const plain = text(value)
  if (style === 'label') return `.${plain}`
  if (style === 'matrix') return plain === '' ? `;${key}` : `;${key}=${plain}`
  return plain
}

const separators: { readonly [style: string]: string } = {
  spaceDelimited: '%20',
  pipeDelimited: '|',
  tabDelimited: '%09',
}

/** The `name=value` parts of a query; encoded. */
export function queryParts(name: string, value: unknown, style: Style): string[] {
  const text = (item: unknown) => encoded(plainText(item), style.allowReserved)
  const key = encoded(name)
  if (Array.isArray(value)) {
    if (style.style === 'deepObject') return deepParts(name, value, text)
    // An empty list is as one that is not given (RFC 6570).
    if (style.explode || value.length === 0) return value.map((item) => `${key}=${text(item)}`)
    return [`${key}=${value.map(text).join(separators[style.style] ?? ',')}`]
  }
  if (isPlainObject(value)) {
    if (style.style === 'deepObject') return deepParts(name, value, text)
    const pairs = entriesOf(value)
    if (style.explode) return pairs.map(([part, item]) => `${encoded(part)}=${text(item)}`)
    const separator = separators[style.style] ?? ','
    return [`${key}=${pairs.flatMap(([part, item]) => [encoded(part), text(item)]).join(separator)}`]
  }
  return [`${key}=${text(value)}`]
}

/** `filter[a][b]=1`; lists of plain values repeat their key, those of objects count: `items[0][price]=1`. */
function deepParts(prefix: string, value: object, text: (item: unknown) => string): string[] {
  return entriesOf(value).flatMap(([part, item]) => {
    const name = `${prefix}[${part}]`
    if (isPlainObject(item)) return deepParts(name, item, text)
    if (!Array.isArray(item)) return [`${bracketed(name)}=${text(item)}`]
    const isPlain = item.every((one) => typeof one !== 'object')
    return isPlain ? item.map((one) => `${bracketed(name)}=${text(one)}`) : deepParts(name, item, text)
  })
}

/** Brackets of a deep name stay as they are written everywhere. */
function bracketed(name: string): string {
  return encoded(name).replace(/%5B/g, '[').replace(/%5D/g, ']')
}

/** A header's value, style simple. */
export function headerText({ explode, style }: Style, value: unknown): string {
  if (Array.isArray(value)) {
    const separator =
      style === 'pipeDelimited'
        ? '|'
        : style === 'spaceDelimited'
          ? ' '
          : style === 'tabDelimited'
            ? '\t'
            : ','
    return value.map(plainText).join(separator)
  }
  if (isPlainObject(value)) {
    const pairs = entriesOf(value)
    return explode
      ? pairs.map(([part, item]) => `${part}=${plainText(item)}`).join(',')
      : pairs.flatMap(([part, item]) => [part, plainText(item)]).join(',')
  }
  return plainText(value)
}

/** The `name=value` pairs of a Cookie header, style form. */
export function cookieParts(name: string, value: unknown, style: Style): string[] {
  return queryParts(name, value, style)
}
