// Compares what a tool returned with what its example promises: deeply, key order ignored, array order kept,
// numbers exactly.
import { isPlainObject } from './json.ts'
import { escapePointer } from './pointer.ts'

export interface Difference {
  /** JSON pointer to the first place that differs. */
  readonly path: string
  readonly expected: unknown
  readonly actual: unknown
}

/** The first difference, or undefined when they are equal. `partial` lets the actual value have more keys. */
export function compareExample(
  expected: unknown,
  actual: unknown,
  match: 'exact' | 'partial' = 'exact',
  path = '',
): Difference | undefined {
  if (Array.isArray(expected) && Array.isArray(actual)) {
    for (let i = 0; i < Math.max(expected.length, actual.length); i++) {
      const difference =
        i < expected.length && i < actual.length
          ? compareExample(expected[i], actual[i], match, `${path}/${i}`)
          : { path: `${path}/${i}`, expected: expected[i], actual: actual[i] }
      if (difference) return difference
    }
    return undefined
  }
  if (isPlainObject(expected) && isPlainObject(actual)) {
    const keys =
      match === 'partial'
        ? Object.keys(expected)
        : [...new Set([...Object.keys(expected), ...Object.keys(actual)])]
    for (const key of keys) {
      const difference = compareExample(expected[key], actual[key], match, `${path}/${escapePointer(key)}`)
      if (difference) return difference
    }
    return undefined
  }
  return Object.is(expected, actual) || (expected === 0 && actual === 0)
    ? undefined
    : { path, expected, actual }
}
