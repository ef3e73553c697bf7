// What is wrong with settings, wherever they come from: one line per fault, with the nearest known key.
import { nearNames } from '../tool/near-names.ts'
import { pointerKeys } from '../tool/pointer.ts'
import { compileSchema } from '../tool/schema/compile-schema.ts'
import { isSurelyValid } from '../tool/schema/surely-valid.ts'
import { configSchema } from './config-schema.ts'

export interface SettingFault {
  /** The key, from the outermost in. */
  readonly keys: readonly string[]
  readonly code: 'config-unknown-key' | 'skills-config-invalid' | 'config-invalid'
  readonly message: string
  readonly hint: string
}

/** Empty when they are sound; a key with several faults has its first. */
export function settingFaults(values: { readonly [key: string]: unknown }): SettingFault[] {
  if (isSurelyValid(configSchema, values)) return []
  const byPointer = new Map<string, SettingFault>()
  for (const { pointer, keyword, message } of compileSchema(configSchema, {
    fillDefaults: false,
  }).violations(values)) {
    // An anyOf failure repeats the failures of its branches; the branch that fits best says enough.
    if (byPointer.has(pointer)) continue
    const keys = pointerKeys(pointer)
    byPointer.set(pointer, keyword === 'additionalProperties' ? unknownKey(keys) : wrongValue(keys, message))
  }
  return [...byPointer.values()]
}

function unknownKey(keys: readonly string[]): SettingFault {
  const known = siblings(keys.slice(0, -1))
  const [near] = nearNames(keys.at(-1) ?? '', known, 1)
  return {
    keys,
    code: 'config-unknown-key',
    message: `"${keys.join('.')}" is no configuration key.`,
    hint: near === undefined ? `Known keys here: ${known.join(', ')}.` : `Did you mean "${near}"?`,
  }
}

function wrongValue(keys: readonly string[], message: string): SettingFault {
  return {
    keys,
    code: keys[0] === 'skills' ? 'skills-config-invalid' : 'config-invalid',
    message: `"${keys.join('.')}" ${message}.`,
    hint: 'See `toolcrib schema config`. No tool runs until this is fixed.',
  }
}

/** The keys that may stand beside one; those of an entry in a map are the same for all its entries. */
function siblings(path: readonly string[]): string[] {
  let node: Node | undefined = configSchema
  for (const key of path) {
    const object: Node = node?.anyOf?.find((branch) => branch.properties) ?? node ?? {}
    node = object.properties?.[key] ?? (object.additionalProperties || undefined)
  }
  return Object.keys(
    node?.anyOf?.find((branch) => branch.properties)?.properties ?? node?.properties ?? {},
  ).filter((key) => key !== '$schema')
}

interface Node {
  readonly properties?: { readonly [name: string]: Node }
  readonly additionalProperties?: Node | false
  readonly anyOf?: readonly Node[]
}
