// The fields of an object that have a value. Where a missing key and `undefined` differ (JSON Schema, YAML, options of
// libraries), an object is written whole and passed through here.

/** The same type with every field that may be undefined made optional. */
type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}

/**
 * @example
 * defined({ type: 'object', required: names.length > 0 ? names : undefined })
 */
export function defined<T extends object>(fields: T): Defined<T> {
  const kept = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(kept) as Defined<T>
}
