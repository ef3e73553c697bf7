// Finds defaults that their own schema refuses.
import { isPlainObject } from '../../tool/json.ts'
import { escapePointer } from '../../tool/pointer.ts'
import { compileSchema } from '../../tool/schema/compile-schema.ts'
import { isSurelyValid } from '../../tool/schema/surely-valid.ts'
import type { JsonSchema } from '../../tool/tool.ts'

export interface BadDefault {
  readonly pointer: string
  readonly message: string
}

/** Every `default` under `properties` or `items` that breaks the schema it stands in. */
export function badDefaults(schema: JsonSchema): BadDefault[] {
  const found: BadDefault[] = []
  visit(schema, '', 0)
  return found

  function visit(node: unknown, pointer: string, depth: number): void {
    if (!isPlainObject(node) || depth > 64) return
    if (node['default'] !== undefined) {
      const message = refusal(node as JsonSchema, schema)
      if (message) found.push({ pointer: `${pointer}/default`, message })
    }
    const properties = node['properties']
    if (isPlainObject(properties))
      for (const [name, property] of Object.entries(properties))
        visit(property, `${pointer}/properties/${escapePointer(name)}`, depth + 1)
    visit(node['items'], `${pointer}/items`, depth + 1)
  }
}

function refusal(schema: JsonSchema, root: JsonSchema): string | undefined {
  const value = schema['default']
  if (isSurelyValid(schema, value)) return undefined
  try {
    const { default: _, ...rest } = schema
    const definitions = { ...pick(root, '$defs'), ...pick(root, 'definitions'), ...pick(root, '$schema') }
    const violation = compileSchema({ ...definitions, ...rest } as JsonSchema, {
      fillDefaults: false,
    }).violations(value)[0]
    return violation && `${violation.pointer} ${violation.message}`.trim()
  } catch {
    // The schema itself is refused, and reported as that.
    return undefined
  }
}

function pick(root: JsonSchema, key: string): object {
  return root[key] === undefined ? {} : { [key]: root[key] }
}
