// The JSON Schema of a Tool, as `list`, `show` and the HTTP API give it.
import type { JsonSchema } from './tool.ts'

const names = { type: 'array', items: { type: 'string' } }
const schemaOrNull = { anyOf: [{ type: 'object' }, { type: 'null' }] }
const count = { type: 'number', minimum: 0 }

export const problemSchema: JsonSchema = {
  type: 'object',
  required: ['code', 'severity', 'message'],
  properties: {
    code: { type: 'string' },
    severity: { enum: ['error', 'warning', 'info'] },
    message: { type: 'string' },
    hint: { type: 'string' },
    file: { type: 'string' },
    line: { type: 'integer', minimum: 1 },
    column: { type: 'integer', minimum: 1 },
    toolId: { type: 'string' },
    pointer: { type: 'string' },
  },
}

export const toolSchema: JsonSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Tool',
  type: 'object',
  required: [
    'id',
    'name',
    'description',
    'version',
    'format',
    'kind',
    'tier',
    'state',
    'aliases',
    'params',
    'returns',
    'requires',
    'limits',
    'tags',
    'examples',
    'hidden',
    'source',
    'runtime',
    'trust',
    'problems',
  ],
  properties: {
    id: { type: 'string' },
    name: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$' },
    title: { type: 'string' },
    description: { type: 'string' },
    version: { type: 'string' },
    format: { enum: ['rye', 'tools-json', 'tool-code', 'skill', 'mcp', 'builtin'] },
    kind: { enum: ['callable', 'middleware', 'context', 'runtime', 'primitive', 'library', 'server'] },
    tier: { enum: ['project', 'user', 'system'] },
    state: { enum: ['available', 'invalid', 'unavailable', 'disabled', 'shadowed', 'quarantined'] },
    reason: { type: 'string' },
    aliases: names,
    params: schemaOrNull,
    returns: schemaOrNull,
    requires: { anyOf: [names, { type: 'null' }] },
    limits: {
      type: 'object',
      properties: {
        timeoutMs: count,
        memoryMb: count,
        cpuPercent: count,
        processes: count,
        outputBytes: count,
      },
    },
    retry: { type: 'object' },
    cost: { type: 'object' },
    tags: names,
    examples: { type: 'array', items: { type: 'object' } },
    hidden: { type: 'boolean' },
    source: {
      type: 'object',
      required: ['file', 'digest'],
      properties: {
        file: { type: ['string', 'null'] },
        line: { type: 'integer' },
        digest: { type: 'string' },
        files: names,
      },
    },
    runtime: {
      anyOf: [
        {
          type: 'object',
          required: ['name', 'plan'],
          properties: { name: { type: 'string' }, plan: { type: 'object' } },
        },
        { type: 'null' },
      ],
    },
    chain: { type: 'array', items: { type: 'object' } },
    trust: {
      type: 'object',
      required: ['status'],
      properties: {
        status: { enum: ['trusted', 'untrusted', 'tampered', 'unsigned', 'invalid', 'unchecked'] },
      },
    },
    problems: { type: 'array', items: problemSchema },
    secrets: names,
    extra: { type: 'object' },
  },
}
