// `${path}` in metadata: values of the context put into text. What was inserted is never scanned again, and
// caller data never becomes code.
import { isPlainObject } from '../../tool/json.ts'
import { isJsonPath, pathGet, pathKeys } from '../../tool/path.ts'
import { ToolError } from '../../tool/tool-error.ts'
import { dataOf } from './globals.ts'

const template = /\\\$\{|\$\{([^}]*)\}/g
const whole = /^\$\{([^}]*)\}$/
const contextKeys = new Set(['envelope', 'args', 'run', 'locals', 'nonlocals', 'globals', 'manager'])
const inlineSources = new Set(['locals', 'globals'])

/** True when a value holds anything to interpolate or unescape. */
export function hasTemplate(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('${')
  if (Array.isArray(value)) return value.some(hasTemplate)
  return isPlainObject(value) && Object.values(value).some(hasTemplate)
}

/** The value with every `${path}` of its string leaves replaced; map keys stay as they are. */
export function interpolate(value: unknown, context: object): unknown {
  if (typeof value === 'string') return interpolateText(value, context)
  if (Array.isArray(value)) return value.map((item) => interpolate(item, context))
  if (!isPlainObject(value)) return value
  const copy: Record<string, unknown> = {}
  for (const [key, item] of Object.entries(value)) {
    const inserted = interpolate(item, context)
    Object.defineProperty(copy, key, {
      value: inserted,
      enumerable: true,
      writable: true,
      configurable: true,
    })
  }
  return copy
}

function interpolateText(text: string, context: object): unknown {
  if (!text.includes('${')) return text
  const isInline = text.startsWith('inline://')
  const only = isInline ? null : whole.exec(text)
  if (only) return dataOf(pathGet(context, only[1]!)) ?? null
  return text.replace(template, (_match, path: string | undefined) => {
    if (path === undefined) return '${'
    return asText(isInline ? inlineValue(text, path, context) : dataOf(pathGet(context, path)))
  })
}

function inlineValue(text: string, path: string, context: object): unknown {
  const keys = isJsonPath(path.trim()) ? [] : pathKeys(path)
  if (!keys || (keys.length > 0 && !contextKeys.has(keys[0]!))) return undefined
  if (!inlineSources.has(keys[0] ?? '') || keys[1] !== 'config')
    throw new ToolError(
      'INLINE_INVALID',
      `"\${${path}}" would put call data into code: ${text.slice(0, 60)}…`,
      {
        hint: 'Only locals.config and globals.config can be inserted into inline code; the rest comes as arguments. Write \\${ for a literal ${.',
      },
    )
  return pathGet(context, path)
}

function asText(value: unknown): string {
  if (value === undefined || value === null) return value === null ? 'null' : ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
