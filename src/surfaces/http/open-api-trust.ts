// Keys and drift in the OpenAPI document.
import type { JsonObject } from '../../tool/json.ts'
import { jsonAnswer, object, operation, pathParameter, ref, text } from './open-api-parts.ts'

const flag = { type: 'boolean' }
const texts = { type: 'array', items: text }
const differences = { type: 'array', items: ref('Difference') }

export const trustSchemas: JsonObject = {
  Key: {
    type: 'object',
    required: ['keyId', 'owner', 'tier', 'file', 'isSigningKey', 'isTrusted'],
    properties: {
      keyId: text,
      longId: text,
      owner: text,
      tier: { enum: ['project', 'user', 'system'] },
      file: text,
      isSigningKey: flag,
      isTrusted: flag,
      reason: { type: 'string', description: 'Why it does not count.' },
    },
  },
  Difference: {
    description: 'One way in which a tool is not what was approved.',
    type: 'object',
    required: ['tool', 'field', 'before', 'after', 'risk', 'what'],
    properties: {
      tool: text,
      field: text,
      before: {},
      after: {},
      risk: { enum: ['high', 'medium', 'low'] },
      what: { type: 'string', description: 'The change in a few words.' },
    },
  },
  Drift: {
    type: 'object',
    required: ['locked', 'frozen', 'pinned', 'drifted', 'unpinned', 'gone'],
    properties: {
      locked: { ...flag, description: 'False: there is no lock file.' },
      frozen: flag,
      pinned: { type: 'integer' },
      drifted: differences,
      unpinned: { ...texts, description: 'Tools that are not in the lock file, as format:id.' },
      gone: { ...texts, description: 'Pinned tools that are no longer there.' },
      problem: { ...object, description: 'Why the lock file cannot be used.' },
    },
  },
}

export function trustPaths(): JsonObject {
  return {
    '/api/keys': {
      get: operation(
        'listKeys',
        'Every key, those that do not count included',
        jsonAnswer('Keys', { type: 'object', properties: { keys: { type: 'array', items: ref('Key') } } }),
      ),
    },
    '/api/drift': {
      get: operation(
        'showDrift',
        'What differs from the lock file',
        jsonAnswer('The state of the lock', ref('Drift')),
      ),
    },
    '/api/drift/{toolId}/approve': {
      parameters: [pathParameter('toolId', 'Id of the tool; may contain slashes.')],
      post: operation(
        'approveDrift',
        'Accepts a tool as it is now; needs an admin token',
        jsonAnswer('What was accepted', {
          type: 'object',
          properties: { ok: flag, tool: text, drifted: differences },
        }),
      ),
    },
  }
}
