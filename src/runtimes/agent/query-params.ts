// The parameters of the tools that look at the crib itself, and how they are read.
import { isPlainObject } from '../../tool/json.ts'
import type { JsonSchema } from '../../tool/tool.ts'
import { ToolError } from '../../tool/tool-error.ts'

const query: JsonSchema = {
  type: 'string',
  description: 'Words that must all occur in name, description or tags.',
}
const tags: JsonSchema = {
  anyOf: [{ type: 'array', items: { type: 'string' } }, { type: 'string' }],
  description: 'Tags that must all be present.',
}

export const listParams: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  properties: { query, tags },
}

export const discoverParams: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    query,
    tags,
    limit: { type: 'integer', minimum: 1, maximum: 1_000, default: 20, description: 'Most tools given.' },
  },
}

export const refParams: JsonSchema = {
  type: 'object',
  required: ['ref'],
  additionalProperties: false,
  properties: { ref: { type: 'string', description: 'Name, id or other ref of a tool or skill.' } },
}

/** What a model or caller asked for; what is of the wrong type counts as not given. */
export function queryOf(input: unknown): { query?: string; tags?: string[]; limit?: number } {
  const given = isPlainObject(input) ? input : {}
  const { query: words, limit } = given
  const wanted = [given['tags'] ?? []].flat().filter((tag): tag is string => typeof tag === 'string')
  return {
    query: typeof words === 'string' ? words : undefined,
    tags: wanted.length > 0 ? wanted : undefined,
    limit: typeof limit === 'number' && limit >= 1 ? Math.floor(limit) : undefined,
  }
}

export function refOf(input: unknown): string {
  const ref = isPlainObject(input) ? input['ref'] : undefined
  if (typeof ref !== 'string' || ref === '') throw new ToolError('PARAMS_INVALID', '/ref must be a text.')
  return ref
}
