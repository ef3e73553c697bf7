// What calls, runs, approvals and tokens look like in the OpenAPI document.
import type { JsonObject } from '../../tool/json.ts'
import { number, object, ref, text } from './open-api-parts.ts'
import { callBody, decisionBody } from './request-schemas.ts'

const toolError = {
  type: 'object',
  required: ['code', 'message', 'retryable'],
  properties: { code: text, message: text, hint: text, details: {}, retryable: { type: 'boolean' } },
}

export const callSchemas: JsonObject = {
  Outcome: {
    description: 'What a call came to: a value, or an error with its code.',
    type: 'object',
    required: ['ok', 'logs', 'ms', 'runId', 'enforcement'],
    properties: {
      ok: { type: 'boolean' },
      value: {},
      error: toolError,
      logs: { type: 'array', items: object },
      ms: number,
      runId: text,
      meta: object,
      cost: object,
      enforcement: object,
    },
  },
  DryRun: {
    description: 'What a call with `dryRun` would do; nothing ran.',
    type: 'object',
    required: ['ok', 'dryRun', 'tool', 'runtime', 'plan', 'trust', 'grants', 'profile'],
    properties: {
      ok: { const: true },
      dryRun: { const: true },
      tool: text,
      runtime: text,
      plan: {},
      chain: { type: 'array', items: object },
      trust: {},
      grants: { type: 'array', items: text },
      profile: object,
    },
  },
  Problem: {
    description: 'RFC 9457 problem document.',
    type: 'object',
    required: ['type', 'title', 'status', 'code', 'detail'],
    properties: {
      type: text,
      title: text,
      status: { type: 'integer' },
      code: text,
      detail: text,
      hint: text,
      details: {},
    },
  },
  Tool: {
    type: 'object',
    required: ['id', 'name', 'description', 'format'],
    properties: { id: text, name: text, description: text, format: text },
  },
  Run: {
    type: 'object',
    required: ['runId', 'tool', 'format', 'caller', 'surface', 'startedAt', 'ms', 'enforcement'],
    properties: {
      runId: text,
      tool: text,
      format: text,
      caller: text,
      surface: text,
      startedAt: text,
      ms: number,
      state: { const: 'running' },
      ok: { type: 'boolean' },
      errorCode: text,
      cost: object,
      enforcement: object,
      parent: { type: 'string', description: 'The run this one was called from.' },
      trigger: {
        description: 'The event that set it going: its schema, its position in the feed, its breadcrumb.',
        type: 'object',
        properties: { schema: text, event: text, crumb: text },
      },
    },
  },
  RunDetail: {
    allOf: [
      ref('Run'),
      {
        type: 'object',
        properties: {
          params: { description: 'As recorded: a shape, or the values when audit.params is full.' },
          outcome: ref('Outcome'),
          logs: { type: 'array', items: object },
          spans: { type: 'array', items: object },
        },
      },
    ],
  },
  Approval: {
    type: 'object',
    required: ['id', 'tool', 'caller', 'requestedAt', 'expiresAt'],
    properties: {
      id: text,
      runId: text,
      tool: text,
      params: {},
      caller: text,
      requestedAt: text,
      expiresAt: text,
    },
  },
  Token: {
    type: 'object',
    required: ['name', 'from', 'admin'],
    properties: {
      name: text,
      from: { enum: ['operator', 'config', 'store'] },
      admin: { type: 'boolean' },
      grants: { type: 'array', items: text },
      allowedTools: text,
      createdAt: text,
      expiresAt: text,
    },
  },
  CallBody: callBody,
  DecisionBody: decisionBody,
}
