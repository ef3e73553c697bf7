// `toolcrib.lock` as text and as data. It is committed, so it is sorted, names no absolute path, and carries enough
// of each definition to show a reader what changed.
import { byCodeUnits, isPlainObject, type JsonObject } from '../../tool/json.ts'
import { messageOf } from '../../tool/tool-error.ts'

export const lockName = 'toolcrib.lock'
const lockVersion = 1

/** A program as it was when it was approved. */
export interface ProgramPin {
  readonly path: string
  readonly digest: string
}

/** What was approved of one tool. */
export interface Pin {
  /** SHA-256 of the canonical text (RFC 8785) of `tool`. */
  readonly definition: string
  /** SHA-256 of every file it is made of, whole files, by path from the crib's root. */
  readonly files: { readonly [path: string]: string }
  /** Programs it starts, by the name the definition gives them. */
  readonly programs?: { readonly [name: string]: ProgramPin }
  /** What its code could touch then, as reading told: `net.http:api.example.com`; absent in locks of 0.1.0. */
  readonly capabilities?: readonly string[]
  /** The definition itself. */
  readonly tool: JsonObject
}

/** Pins by `format:id`; a second file of the same id has its path behind an `@`. */
export type Pins = ReadonlyMap<string, Pin>

export function lockText(pins: Pins): string {
  const tools = Object.fromEntries([...pins].sort(([a], [b]) => byCodeUnits(a, b)))
  return `${JSON.stringify({ lockVersion, tools }, null, 2)}\n`
}

/** Reads a lock file; throws an Error that says what is wrong with it. Nothing in it is taken on faith. */
export function parseLock(text: string): Pins {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch (error) {
    throw new Error(`it is not JSON: ${messageOf(error)}`)
  }
  if (!isPlainObject(parsed) || !isPlainObject(parsed['tools'])) throw new Error('it has no object "tools"')
  if (parsed['lockVersion'] !== lockVersion)
    throw new Error(
      `its lockVersion is ${JSON.stringify(parsed['lockVersion'])}, and this program knows ${lockVersion}`,
    )
  return new Map(Object.entries(parsed['tools']).map(([key, pin]) => [key, checkedPin(key, pin)]))
}

function checkedPin(key: string, pin: unknown): Pin {
  const isRight =
    isPlainObject(pin) &&
    isDigest(pin['definition']) &&
    isPlainObject(pin['files']) &&
    Object.values(pin['files']).every(isDigest) &&
    isPlainObject(pin['tool']) &&
    (pin['capabilities'] === undefined || isTextList(pin['capabilities'])) &&
    (pin['programs'] === undefined ||
      (isPlainObject(pin['programs']) && Object.values(pin['programs']).every(isProgramPin)))
  if (!isRight) throw new Error(`the entry ${JSON.stringify(key)} is not a pin`)
  return pin as unknown as Pin
}

function isProgramPin(value: unknown): boolean {
  return isPlainObject(value) && typeof value['path'] === 'string' && isDigest(value['digest'])
}

function isTextList(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

function isDigest(value: unknown): boolean {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)
}
