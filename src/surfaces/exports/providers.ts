// How each system writes a tool definition, one entry per system.
import { defined } from '../../tool/defined.ts'
import type { Exporter, RewrittenSchema } from '../../tool/exporter.ts'
import { isPlainObject } from '../../tool/json.ts'
import type { JsonSchema, Tool } from '../../tool/tool.ts'
import { inputSchema, toolDefinition } from '../mcp/tool-definition.ts'
import { gemini, ollama, openAiStrict } from './dialect.ts'
import { mergeSchemas } from './merge-schemas.ts'
import { freeName } from './rewrite-object.ts'
import { rewriteSchema } from './rewrite-schema.ts'
import { put, type Schema, same } from './rewriting.ts'

export const providerNames = [
  'mcp',
  'openai',
  'openai-responses',
  'anthropic',
  'ollama',
  'ai-sdk',
  'gemini',
] as const

export type Provider = (typeof providerNames)[number]

export const anyName = /^[A-Za-z0-9_-]{1,64}$/

export const asItIs = (schema: JsonSchema): RewrittenSchema => ({
  schema,
  restore: same,
  losses: [],
  isInDialect: true,
})

/** What the API refuses beyond. */
const openAiLimits = { maxDescription: 1_024, maxTools: 128 }

/** What ships; a plugin may bring more. */
export const providers: { readonly [name in Provider]: Omit<Exporter, 'name'> } = {
  mcp: { definition: (tool) => toolDefinition(tool) },
  openai: {
    ...openAiLimits,
    schema: (schema) => rewriteSchema(schema, openAiStrict),
    definition: (tool, name, { schema, isInDialect }) => ({
      type: 'function',
      function: { name, ...description(tool), strict: isInDialect, parameters: schema },
    }),
  },
  'openai-responses': {
    ...openAiLimits,
    schema: (schema) => rewriteSchema(schema, openAiStrict),
    definition: (tool, name, { schema, isInDialect }) => ({
      type: 'function',
      name,
      ...description(tool),
      strict: isInDialect,
      parameters: schema,
    }),
  },
  anthropic: {
    schema: anthropicSchema,
    definition: (tool, name, { schema }) => ({ name, ...description(tool), input_schema: schema }),
  },
  ollama: {
    schema: (schema) => rewriteSchema(schema, ollama),
    definition: (tool, name, { schema }) => ({
      type: 'function',
      function: { name, ...description(tool), parameters: withProperties(schema) },
    }),
  },
  'ai-sdk': {
    definition: (tool, name, { schema }) => ({ name, ...description(tool), inputSchema: schema }),
  },
  gemini: {
    toolName: /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/,
    schema: (schema) => rewriteSchema(schema, gemini),
    definition: (tool, name, { schema }) =>
      defined({
        name,
        ...description(tool),
        // A function without parameters leaves them out; an object without properties is refused.
        parameters: isEmpty(schema) ? undefined : schema,
      }),
  },
}

/** A tool that says nothing of itself has no description, rather than an empty one (T50). */
function description({ description }: Tool): { description?: string } {
  return description === '' ? {} : { description }
}

/** Ollama's templates walk the properties, so there are some, if none (T20). */
function withProperties(schema: JsonSchema): JsonSchema {
  return schema['properties'] === undefined ? { ...schema, properties: {} } : schema
}

/** The parameter schema of a tool as the rewriting takes it. */
export function paramsOf(tool: Tool): JsonSchema {
  return inputSchema(tool)
}

function isEmpty(schema: JsonSchema): boolean {
  const { properties } = schema
  return !isPlainObject(properties) || Object.keys(properties).length === 0
}

const anthropicKey = /^[A-Za-z0-9_.-]{1,64}$/

/** Anthropic takes JSON Schema whole, but no alternatives at the root and only plain property names there. */
function anthropicSchema(given: JsonSchema): RewrittenSchema {
  const losses: RewrittenSchema['losses'][number][] = []
  let root: Schema = { ...given }
  if (Array.isArray(root['allOf'])) {
    const { allOf, ...rest } = root
    root = rest
    for (const member of allOf as unknown[]) {
      const merged =
        isPlainObject(member) && member['$ref'] === undefined ? mergeSchemas(root, member) : undefined
      if (merged) root = merged
      else
        losses.push({
          pointer: '/allOf',
          keyword: 'allOf',
          effect: 'wider',
          message: 'allOf at the root is left out',
        })
    }
  }
  for (const keyword of ['anyOf', 'oneOf']) {
    if (root[keyword] === undefined) continue
    losses.push({
      pointer: `/${keyword}`,
      keyword,
      effect: 'wider',
      message: `${keyword} at the root is left out`,
    })
    delete root[keyword]
  }
  const properties = isPlainObject(root['properties']) ? root['properties'] : {}
  const taken = new Set(Object.keys(properties).filter((name) => anthropicKey.test(name)))
  const renamed = new Map<string, string>()
  for (const name of Object.keys(properties)) {
    if (anthropicKey.test(name)) continue
    const key = freeName(name, taken)
    renamed.set(key, name)
    losses.push({
      pointer: '/properties',
      keyword: 'properties',
      effect: 'encoded',
      message: `"${name}" is called "${key}"`,
    })
  }
  if (renamed.size === 0) return { schema: root as JsonSchema, restore: same, losses, isInDialect: true }
  const keys = new Map([...renamed].map(([key, name]) => [name, key]))
  const rename = (name: string) => keys.get(name) ?? name
  const schema = {
    ...root,
    properties: Object.fromEntries(Object.entries(properties).map(([name, value]) => [rename(name), value])),
    ...(Array.isArray(root['required'])
      ? { required: root['required'].map((name) => rename(String(name))) }
      : {}),
  }
  return {
    schema: schema as JsonSchema,
    losses,
    isInDialect: true,
    restore(value) {
      if (!isPlainObject(value)) return value
      const restored: Schema = {}
      for (const [key, item] of Object.entries(value)) put(restored, renamed.get(key) ?? key, item)
      return restored
    },
  }
}
