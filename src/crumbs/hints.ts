// `llm_hints`: how a crumb's context is shown to a model. Include, then exclude, then transform. A hint that
// cannot be followed gives null for its key; reading a crumb never fails because of its hints.
import { isPlainObject, type Json, type JsonObject } from '../tool/json.ts'
import { isManyPath, readPath } from './json-path.ts'
import { renderTemplate, textOf } from './template.ts'

/** The context as the hints want it shown. */
export function applyHints(context: Json, hints: JsonObject | undefined): Json {
  if (!hints) return context
  let shown = context
  const include = namesOf(hints['include'])
  const exclude = namesOf(hints['exclude'])
  if (include && isPlainObject(shown)) shown = pick(shown as JsonObject, include)
  if (exclude && isPlainObject(shown)) shown = omit(shown as JsonObject, exclude)
  const transform = hints['transform']
  if (!isPlainObject(transform)) return shown
  const made: Record<string, Json> = {}
  for (const [key, rule] of Object.entries(transform)) define(made, key, apply(rule, context))
  if (hints['mode'] === 'merge' && isPlainObject(shown)) {
    const merged: Record<string, Json> = { ...(shown as JsonObject) }
    for (const [key, value] of Object.entries(made)) define(merged, key, value)
    return merged
  }
  return made
}

function namesOf(given: unknown): string[] | null {
  if (!Array.isArray(given)) return null
  return given.filter((name) => typeof name === 'string')
}

function apply(rule: unknown, context: Json): Json {
  if (!isPlainObject(rule)) return null
  try {
    switch (rule['type']) {
      case 'literal':
        return (rule['literal'] ?? null) as Json
      case 'extract':
        return extract(context, String(rule['value']))
      case 'format':
        return formatText(String(rule['format']), context)
      case 'template':
        return typeof rule['template'] === 'string' ? renderTemplate(rule['template'], { context }) : null
      default:
        return null
    }
  } catch {
    return null
  }
}

function extract(context: Json, path: string): Json {
  const found = readPath(context, path) as Json[]
  if (isManyPath(path)) return found.length === 0 ? null : found.length === 1 ? found[0]! : found
  return found[0] ?? null
}

/** `{a.b}` is replaced by the value there; what is missing becomes nothing. */
function formatText(format: string, context: Json): string {
  return format.replace(/\{([^{}]+)\}/g, (_, path: string) => textOf(readPath(context, path.trim())[0]))
}

function pick(source: JsonObject, names: readonly string[]): JsonObject {
  const kept: Record<string, Json> = {}
  const nested = new Map<string, string[]>()
  for (const name of names) {
    const dot = name.indexOf('.')
    const head = dot > 0 ? name.slice(0, dot) : name
    if (Object.hasOwn(source, name)) define(kept, name, source[name]!)
    else if (dot > 0 && Object.hasOwn(source, head) && isPlainObject(source[head]))
      nested.set(head, [...(nested.get(head) ?? []), name.slice(dot + 1)])
  }
  for (const [head, rest] of nested) {
    if (Object.hasOwn(kept, head)) continue
    const inner = pick(source[head] as JsonObject, rest)
    if (Object.keys(inner).length > 0) define(kept, head, inner)
  }
  return kept
}

function omit(source: JsonObject, names: readonly string[]): JsonObject {
  let kept: Record<string, Json> = { ...source }
  for (const name of names) {
    if (Object.hasOwn(kept, name)) {
      const { [name]: _, ...others } = kept
      kept = others
      continue
    }
    const [head, ...rest] = name.split('.')
    const below = Object.hasOwn(kept, head!) ? kept[head!] : undefined
    if (rest.length > 0 && isPlainObject(below))
      define(kept, head!, omit(below as JsonObject, [rest.join('.')]))
  }
  return kept
}

/** Sets an own property whatever its name is. */
function define(target: Record<string, Json>, key: string, value: Json): void {
  Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true })
}
