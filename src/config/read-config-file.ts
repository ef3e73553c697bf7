// Reads one configuration file: parsed with positions, checked against the schema, every fault a problem
// with its line. A file with faults still counts as far as it is sound.
import { statSync } from 'node:fs'
import { type Document, isScalar, LineCounter, parseDocument } from 'yaml'
import { readPlainFile } from '../files/read-plain-file.ts'
import { isPlainObject } from '../tool/json.ts'
import type { Problem } from '../tool/problem.ts'
import { settingFaults } from './setting-faults.ts'

export interface ConfigFile {
  readonly values: { readonly [key: string]: unknown }
  readonly problems: readonly Problem[]
}

const maxBytes = 1_048_576
const fixIt = 'Fix the YAML. No tool runs until then, because the settings that protect you are unknown.'

/** An absent file is an empty one. */
export function readConfigFile(file: string): ConfigFile {
  let text: string
  try {
    const stat = statSync(file, { throwIfNoEntry: false })
    if (!stat) return { values: {}, problems: [] }
    text = readPlainFile(file, maxBytes)
  } catch (error) {
    return {
      values: {},
      problems: [
        {
          code: 'config-unreadable',
          severity: 'error',
          message: `${file} cannot be read: ${(error as Error).message}`,
          hint: 'Check that it is a readable text file.',
          file,
        },
      ],
    }
  }
  return parseConfig(text, file)
}

/** The line of a key in a configuration file. */
export function lineOfKey(file: string, keys: readonly string[]): number {
  const lines = new LineCounter()
  return placeOf(parseDocument(readPlainFile(file, maxBytes), { lineCounter: lines }), keys, lines).line
}

/** The text of a configuration file as values and problems. */
export function parseConfig(text: string, file: string): ConfigFile {
  const lines = new LineCounter()
  let document: Document
  let values: unknown
  try {
    document = parseDocument(text, { lineCounter: lines, uniqueKeys: true })
    values = document.errors.length > 0 ? {} : (document.toJS({ maxAliasCount: 100 }) ?? {})
  } catch (error) {
    return {
      values: {},
      problems: [
        {
          code: 'config-parse',
          severity: 'error',
          message: `The configuration cannot be parsed: ${(error as Error).message}`,
          hint: fixIt,
          file,
          line: 1,
        },
      ],
    }
  }
  if (document.errors.length > 0) {
    const first = document.errors[0]!
    const place = lines.linePos(first.pos[0])
    return {
      values: {},
      problems: [
        {
          code: 'config-parse',
          severity: 'error',
          message: first.message.split('\n')[0]!.replace(/ at line.*$/, ''),
          hint: fixIt,
          file,
          line: place.line,
          column: place.col,
        },
      ],
    }
  }
  if (!isPlainObject(values)) {
    return {
      values: {},
      problems: [
        {
          code: 'config-parse',
          severity: 'error',
          message: 'The configuration must be a map of keys.',
          hint: fixIt,
          file,
          line: 1,
        },
      ],
    }
  }
  const faults = settingFaults(values)
  const problems = faults.map(
    ({ keys, code, message, hint }): Problem => ({
      code,
      severity: 'error',
      message,
      hint,
      file,
      ...placeOf(document, keys, lines),
    }),
  )
  return { values: faults.reduce((kept, { keys }) => without(kept, keys), values), problems }
}

function placeOf(
  document: Document,
  keys: readonly string[],
  lines: LineCounter,
): { line: number; column: number } {
  for (let length = keys.length; length > 0; length--) {
    const parent = document.getIn(keys.slice(0, length - 1), true) as
      | { items?: { key?: unknown }[] }
      | undefined
    const pair = parent?.items?.find(
      (item) => isScalar(item.key) && String(item.key.value) === keys[length - 1],
    )
    const range = pair && isScalar(pair.key) ? pair.key.range : undefined
    if (range) {
      const place = lines.linePos(range[0])
      return { line: place.line, column: place.col }
    }
  }
  return { line: 1, column: 1 }
}

/** The values without one key. */
export function without(values: Record<string, unknown>, keys: readonly string[]): Record<string, unknown> {
  const [key, ...rest] = keys
  if (key === undefined) return {}
  const copy = { ...values }
  if (rest.length > 0 && isPlainObject(copy[key])) copy[key] = without(copy[key], rest)
  else delete copy[key]
  return copy
}
