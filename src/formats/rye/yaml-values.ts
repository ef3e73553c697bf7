// YAML to plain data, the way this format reads it: YAML 1.2 plus merge keys, and `yes`, `no`, `on`, `off` as
// booleans where they are values. As a key they stay what was written.
import type { Json } from '../../tool/json.ts'
import { lazyModule } from '../../tool/lazy-module.ts'
import { plainJson } from './plain-json.ts'

class Word {
  readonly text: string
  readonly value: boolean
  constructor(text: string, value: boolean) {
    this.text = text
    this.value = value
  }
}

const yaml = lazyModule<typeof import('js-yaml')>('js-yaml')
let schema: ReturnType<typeof makeSchema> | undefined

function makeSchema() {
  const { CORE_SCHEMA, defineMappingTag, defineScalarTag, mergeTag } = yaml()
  const NOT_RESOLVED: typeof import('js-yaml').NOT_RESOLVED = yaml().NOT_RESOLVED
  const wordTag = defineScalarTag<boolean | Word>('tag:yaml.org,2002:bool', {
    implicit: true,
    implicitFirstChars: ['t', 'T', 'f', 'F', 'y', 'Y', 'n', 'N', 'o', 'O'],
    resolve: (source) => {
      if (/^(true|True|TRUE)$/.test(source)) return true
      if (/^(false|False|FALSE)$/.test(source)) return false
      if (/^(yes|Yes|YES|on|On|ON)$/.test(source)) return new Word(source, true)
      if (/^(no|No|NO|off|Off|OFF)$/.test(source)) return new Word(source, false)
      return NOT_RESOLVED
    },
    identify: () => false,
  })

  const mapTag = defineMappingTag<Map<string, unknown>>('tag:yaml.org,2002:map', {
    create: () => new Map(),
    addPair: (map, key, value) => {
      if (typeof key === 'object' && key !== null && !(key instanceof Word))
        return 'a key must be a plain value'
      map.set(keyText(key), value)
      return ''
    },
    has: (map, key) => map.has(keyText(key)),
    keys: (map) => map.keys(),
    get: (map, key) => map.get(keyText(key)),
    identify: () => false,
  })

  return CORE_SCHEMA.withTags(wordTag, mapTag, mergeTag)
}

function keyText(key: unknown): string {
  return key instanceof Word ? key.text : String(key)
}

export interface DataFault {
  readonly message: string
  readonly line: number
  readonly column?: number
}

/** The value of a YAML document, or why it has none. A document of comments alone is null. */
export function parseYaml(text: string): { readonly value: Json } | { readonly fault: DataFault } {
  if (/^(?:\uFEFF|[ \t]*(?:#[^\n]*)?(?:\r?\n|$))*$/.test(text)) return { value: null }
  try {
    schema ??= makeSchema()
    const value = yaml().load(text, { schema })
    return { value: plainJson(value, (object) => (object instanceof Word ? object.value : undefined)) }
  } catch (error) {
    const { reason, mark } = error as { reason?: string; mark?: { line?: number; column?: number } }
    return {
      fault: {
        message: (reason ?? (error as Error).message).split('\n')[0]!,
        line: (mark?.line ?? 0) + 1,
        column: mark?.column === undefined ? undefined : mark.column + 1,
      },
    }
  }
}
