// The fields of a descriptor as data: which there are, and what each may hold. `readFields` checks one object
// against such a table and reports what is unknown, unsupported, missing or of the wrong type.
import { isPlainObject } from '../../tool/json.ts'
import { escapePointer } from '../../tool/pointer.ts'
import type { Report } from './report.ts'

/** What a value must be, in words, and how to tell. */
export interface Shape {
  readonly words: string
  test(value: unknown): boolean
}

export interface Field extends Shape {
  readonly isRequired?: boolean
}

export type Fields = { readonly [name: string]: Field }

const isString = (value: unknown): value is string => typeof value === 'string'
const isScalar = (value: unknown): boolean =>
  isString(value) || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))
const isListOf = (test: (item: unknown) => boolean) => (value: unknown) =>
  Array.isArray(value) && value.every(test)

export const text: Shape = { words: 'a string', test: isString }
export const filledText: Shape = { words: 'a string that is not empty', test: (v) => isString(v) && v !== '' }
export const flag: Shape = { words: 'true or false', test: (value) => typeof value === 'boolean' }
export const texts: Shape = { words: 'a list of strings', test: isListOf(isString) }
export const list: Shape = { words: 'a list', test: Array.isArray }
export const object: Shape = { words: 'an object', test: isPlainObject }
export const anything: Shape = { words: 'anything', test: () => true }
export const integers: Shape = { words: 'a list of whole numbers', test: isListOf(Number.isInteger) }
export const lineCount: Shape = {
  words: 'a whole number from 1',
  test: (value) => Number.isInteger(value) && (value as number) >= 1,
}
export const milliseconds: Shape = {
  words: 'a whole number from 1 to 600000',
  test: (value) => Number.isInteger(value) && (value as number) >= 1 && (value as number) <= 600_000,
}
export const exitCode: Shape = {
  words: 'a whole number or "nonzero"',
  test: (value) => Number.isInteger(value) || value === 'nonzero',
}
export const plainValue: Shape = {
  words: 'a string, number or boolean, or a list of them',
  test: (value) => isScalar(value) || isListOf(isScalar)(value),
}

export const required = (shape: Shape): Field => ({ ...shape, isRequired: true })

/** Upstream fields that decide what runs or is refused, and that this program lacks. */
const unsupported = new Set(['binaryWrapper', 'condition', 'denyResolveCommand', 'denyAlwaysResolve'])

/**
 * The sound fields of one object, `null`s left out. undefined when it is no object. Every fault is reported; a
 * field with a fault is left out of the result.
 */
export function readFields(
  value: unknown,
  pointer: string,
  what: string,
  fields: Fields,
  report: Report,
): Record<string, unknown> | undefined {
  if (!isPlainObject(value)) {
    report.error('descriptor-shape', pointer, `${what} must be an object`)
    return undefined
  }
  const sound: Record<string, unknown> = {}
  for (const [name, content] of Object.entries(value)) {
    const at = `${pointer}/${escapePointer(name)}`
    const field = Object.hasOwn(fields, name) ? fields[name]! : undefined
    if (!field) reportStranger(name, content, at, what, Object.keys(fields), report)
    else if (content === null && !field.isRequired) continue
    else if (!field.test(content))
      report.error('descriptor-shape', at, `${name} of ${what} must be ${field.words}`)
    else sound[name] = content
  }
  for (const [name, field] of Object.entries(fields)) {
    if (field.isRequired && !Object.hasOwn(value, name))
      report.error('descriptor-shape', pointer, `${what} lacks ${name}, which must be ${field.words}`)
  }
  return sound
}

function reportStranger(
  name: string,
  content: unknown,
  at: string,
  what: string,
  known: readonly string[],
  report: Report,
): void {
  if (!unsupported.has(name)) {
    report.warning(
      'unknown-field',
      at,
      `${name} is no field of ${what} and is ignored`,
      `Known fields: ${known.join(', ')}.`,
    )
  } else if (content !== null) {
    report.error(
      'unsupported-field',
      at,
      `${name} of ${what} is not supported; without it something else would run`,
      'Remove the field and what depends on it.',
    )
  }
}
