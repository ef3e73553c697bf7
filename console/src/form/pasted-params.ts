// JSON that is pasted on the page fills the form, whichever field has the focus.
import { isSchema, type Schema } from './schema.ts'

/** The parameters in a pasted text, or nothing: an object with at least one key that the form knows. */
export function pastedParams(text: string, schema: Schema): Record<string, unknown> | null {
  if (!/^\s*\{/.test(text)) return null
  try {
    const value: unknown = JSON.parse(text)
    if (!isSchema(value)) return null
    const given = innerParams(value)
    const known = Object.keys((schema['properties'] ?? {}) as object)
    return Object.keys(given).some((key) => known.includes(key)) ? { ...given } : null
  } catch {
    return null
  }
}

/** A whole request may be pasted: `{ "params": … }`, `{ "arguments": … }`, an MCP call. */
function innerParams(value: Schema): Schema {
  for (const key of ['arguments', 'params']) {
    const inner = value[key]
    if (isSchema(inner)) return innerParams(inner)
  }
  return value
}
