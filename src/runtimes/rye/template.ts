// Templates of rye configuration: `${VAR}` for environment, `{name}` for paths, configuration and params. Values
// of params and variables are data: they are inserted last and never looked at again.
import type { Json, JsonObject } from '../../tool/json.ts'

export interface TemplateScope {
  /** `${VAR}`; undefined when it is not set. */
  variable(name: string): string | undefined
  /** Told of every `${VAR}` that has neither value nor default. */
  unset(name: string): void
  /** Names nothing can shadow: paths and `params_json`. */
  readonly fixed: { readonly [name: string]: string | (() => string) }
  readonly requestId: string
  readonly config: JsonObject
  /** null: params are not known or must not be used here. */
  readonly params: { readonly [name: string]: unknown } | null
}

export interface Expansion {
  readonly value: Json
  /** Names of placeholders that had no value; their text is still in place. */
  readonly missing: readonly string[]
}

export interface ExpandOptions {
  /** The configuration key being expanded, which therefore cannot stand for itself. */
  readonly key?: string
  /** Applied to param values that are inserted into longer text. */
  readonly encode?: (text: string) => string
}

const maxRounds = 3
const token =
  /\$\{([A-Z_][A-Z0-9_]*)(?::-((?:[^{}]|\{[^{}]*\})*))?\}|\{\{([A-Za-z_]\w*)\}\}|\{([A-Za-z_]\w*)\}/g

/** Expands every string of a value; a string that is one placeholder takes the type of what it stands for. */
export function expand(template: Json, scope: TemplateScope, options: ExpandOptions = {}): Expansion {
  const missing: string[] = []
  const value = expandValue(template, {
    scope,
    missing,
    encode: options.encode,
    path: options.key === undefined ? [] : [options.key],
  })
  return { value, missing }
}

/** Text of a value inside a longer string: strings as they are, objects and arrays as JSON. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** Names of the `{placeholders}` in a text, in order. */
export function placeholdersOf(text: string): string[] {
  return [...text.matchAll(token)].flatMap((match) => [
    ...(match[4] === undefined ? [] : [match[4]]),
    ...(match[2] === undefined ? [] : placeholdersOf(match[2])),
  ])
}

interface Pass {
  readonly scope: TemplateScope
  readonly missing: string[]
  readonly encode: ((text: string) => string) | undefined
  /** Configuration keys whose values are being expanded around this one. */
  readonly path: readonly string[]
}

function expandValue(template: Json, pass: Pass): Json {
  if (typeof template === 'string') return expandText(template, pass)
  if (Array.isArray(template)) return template.map((item: Json) => expandValue(item, pass))
  if (template === null || typeof template !== 'object') return template
  return Object.fromEntries(Object.entries(template).map(([key, item]) => [key, expandValue(item, pass)]))
}

const absent = Symbol('absent')

function expandText(text: string, pass: Pass): Json {
  const whole = /^\{([A-Za-z_]\w*)\}$/.exec(text)
  if (whole) {
    const found = lookup(whole[1]!, pass)
    if (found.value !== absent) return found.value as Json
    pass.missing.push(whole[1]!)
    return text
  }
  if (!text.includes('{')) return text
  return text.replace(token, (all, variable, fallback, literal, name) => {
    if (literal !== undefined) return `{${literal}}`
    if (variable !== undefined) {
      const value = pass.scope.variable(variable)
      if (value !== undefined && (value !== '' || fallback === undefined)) return value
      if (fallback !== undefined) return textOf(expandText(fallback, pass))
      pass.scope.unset(variable)
      return ''
    }
    const found = lookup(name, pass)
    if (found.value === absent) {
      pass.missing.push(name)
      return all
    }
    const inserted = textOf(found.value)
    return found.isParam && pass.encode ? pass.encode(inserted) : inserted
  })
}

function lookup(name: string, pass: Pass): { readonly value: unknown; readonly isParam: boolean } {
  const { scope } = pass
  if (Object.hasOwn(scope.fixed, name)) {
    const value = scope.fixed[name]!
    return { value: typeof value === 'function' ? value() : value, isParam: false }
  }
  if (name === 'request_id') {
    const own = scope.params && Object.hasOwn(scope.params, name) ? scope.params[name] : undefined
    return { value: own ?? scope.requestId, isParam: true }
  }
  if (Object.hasOwn(scope.config, name) && !pass.path.includes(name) && pass.path.length < maxRounds + 1) {
    return {
      value: expandValue(scope.config[name]!, { ...pass, path: [...pass.path, name] }),
      isParam: false,
    }
  }
  const value = scope.params && Object.hasOwn(scope.params, name) ? scope.params[name] : undefined
  return { value: value === undefined || value === null ? absent : value, isParam: true }
}
