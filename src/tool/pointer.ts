// RFC 6901 JSON pointers.

/** One key as a pointer segment. */
export function escapePointer(key: string): string {
  return key.includes('~') || key.includes('/') ? key.replaceAll('~', '~0').replaceAll('/', '~1') : key
}

/** The keys of a pointer; `''` is the root. */
export function pointerKeys(pointer: string): string[] {
  if (pointer === '') return []
  if (!pointer.startsWith('/')) throw new SyntaxError(`"${pointer}" is not a JSON pointer`)
  return pointer
    .slice(1)
    .split('/')
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** The value a pointer leads to, own properties only; undefined when there is none. */
export function resolvePointer(document: unknown, pointer: string): unknown {
  let value = document
  for (const key of pointerKeys(pointer)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = (value as Record<string, unknown>)[key]
  }
  return value
}
