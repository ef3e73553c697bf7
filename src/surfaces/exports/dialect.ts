// The schema languages of model providers, as data: what each understands of JSON Schema, and what it wants in
// place of the rest. A provider that takes JSON Schema whole has no dialect.

export interface Dialect {
  /** Keywords passed on as they are, besides those the rewriting itself writes. */
  readonly keywords: ReadonlySet<string>
  /** Values of `format` that are understood; others go into the description. */
  readonly formats: ReadonlySet<string>
  /** Every object closed and every property required; what is optional may be null. */
  readonly isClosed: boolean
  /** Recursion by `$ref` is possible; otherwise references are written out. */
  readonly hasRefs: boolean
  /** How "or null" is written: a union with null, or the keyword of OpenAPI 3.0. */
  readonly nullBy: 'union' | 'keyword'
  /** `enum` takes texts only. */
  readonly hasTextEnumsOnly: boolean
  /** Open objects (any keys) can be said. */
  readonly hasOpenObjects: boolean
  readonly propertyName: RegExp
  /** Levels of nesting; what lies deeper is sent as JSON text. */
  readonly maxDepth: number
}

const annotations = ['title', 'description']
/** Any but the one name that validators refuse to look at. */
const anyName = /^(?!__proto__$)/

/** Structured outputs of OpenAI (`strict: true`), as documented in 2026. */
export const openAiStrict: Dialect = {
  keywords: new Set([
    ...annotations,
    'pattern',
    'minimum',
    'maximum',
    'exclusiveMinimum',
    'exclusiveMaximum',
    'multipleOf',
    'minItems',
    'maxItems',
  ]),
  formats: new Set(['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid']),
  isClosed: true,
  hasRefs: true,
  nullBy: 'union',
  hasTextEnumsOnly: false,
  hasOpenObjects: false,
  propertyName: anyName,
  maxDepth: 10,
}

/** The Schema object of Gemini's function declarations: a part of OpenAPI 3.0. */
export const gemini: Dialect = {
  keywords: new Set([
    ...annotations,
    'minimum',
    'maximum',
    'minItems',
    'maxItems',
    'minLength',
    'maxLength',
    'pattern',
    'default',
  ]),
  formats: new Set(['date-time', 'enum', 'int32', 'int64', 'float', 'double']),
  isClosed: false,
  hasRefs: false,
  nullBy: 'keyword',
  hasTextEnumsOnly: true,
  hasOpenObjects: false,
  propertyName: /^(?!__proto__$)[A-Za-z_][A-Za-z0-9_]{0,63}$/,
  maxDepth: 16,
}

/** What Ollama hands on to the templates of its models. */
export const ollama: Dialect = {
  keywords: new Set(['description']),
  formats: new Set(),
  isClosed: false,
  hasRefs: false,
  nullBy: 'union',
  hasTextEnumsOnly: false,
  hasOpenObjects: true,
  propertyName: anyName,
  maxDepth: 16,
}
