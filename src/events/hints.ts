// `llm_hints`: how a crumb's context is shown to a model. Include, then exclude, then transform. A hint that
// cannot be followed gives null for its key; reading a crumb never fails because of its hints.

import type { Budget } from '../tool/budget.ts'
import { isPlainObject, type Json, type JsonObject } from '../tool/json.ts'
import { isManyPath, queryJsonPath } from '../tool/json-path.ts'
import { renderTemplate, textOf, viewBudget } from './template.ts'

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
  const budget = viewBudget()
  for (const [key, rule] of Object.entries(transform)) define(made, key, apply(rule, context, budget))
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

function apply(rule: unknown, context: Json, budget: Budget): Json {
  if (!isPlainObject(rule)) return null
  try {
    budget.spend('steps', 1)
    switch (rule['type']) {
      case 'literal':
        return (rule['literal'] ?? null) as Json
      case 'extract':
        return extract(context, String(rule['value']), budget)
      case 'format':
        return formatText(String(rule['format']), context, budget)
      case 'template':
        return typeof rule['template'] === 'string'
          ? renderTemplate(rule['template'], { context }, budget)
          : null
      default:
        return null
    }
  } catch {
    return null
  }
}

function extract(context: Json, path: string, budget: Budget): Json {
  const found = queryJsonPath(context, path, budget) as Json[]
  const value = isManyPath(path) && found.length > 1 ? found : (found[0] ?? null)
  budget.spend('steps', JSON.stringify(value).length)
  return value
}

/** `{a.b}` is replaced by the value there; what is missing becomes nothing. */
function formatText(format: string, context: Json, budget: Budget): string {
  budget.spend('steps', format.length)
  return format.replace(/\{([^{}]+)\}/g, (_, path: string) => {
    const text = textOf(queryJsonPath(context, path.trim(), budget)[0])
    budget.spend('steps', text.length)
    return text
  })
}

function pick(source: JsonObject, names: readonly string[]): JsonObject {
  const kept: Record<string, Json> = {}
  const nested = new Map<string, string[]>()
  for (const name of names) {
    const dot = name.indexOf('.')
    const head = dot > 0 ? name.slice(0, dot) : name
    if (Object.hasOwn(source, name)) define(kept, name, source[name]!)
    else if (dot > 0 && Object.hasOwn(source, head) && isPlainObject(source[head]))
      note(nested, head, name.slice(dot + 1))
  }
  for (const [head, rest] of nested) {
    if (Object.hasOwn(kept, head)) continue
    const inner = pick(source[head] as JsonObject, rest)
    if (Object.keys(inner).length > 0) define(kept, head, inner)
  }
  return kept
}

function omit(source: JsonObject, names: readonly string[]): JsonObject {
  const kept: Record<string, Json> = { ...source }
  const nested = new Map<string, string[]>()
  for (const name of names) {
    const dot = name.indexOf('.')
    if (Object.hasOwn(kept, name)) delete kept[name]
    else if (dot !== -1) note(nested, name.slice(0, dot), name.slice(dot + 1))
  }
  for (const [head, rest] of nested)
    if (Object.hasOwn(kept, head) && isPlainObject(kept[head]))
      define(kept, head, omit(kept[head] as JsonObject, rest))
  return kept
}

function note(nested: Map<string, string[]>, head: string, rest: string): void {
  const known = nested.get(head)
  if (known) known.push(rest)
  else nested.set(head, [rest])
}

/** Sets an own property whatever its name is. */
function define(target: Record<string, Json>, key: string, value: Json): void {
  Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true })
}
