// The small pieces the OpenAPI document is made of.
import type { Json, JsonObject } from '../../tool/json.ts'

export const text = { type: 'string' }
export const number = { type: 'number' }
export const object = { type: 'object' }

export function operation(operationId: string, summary: string, answer: JsonObject): JsonObject {
  return {
    operationId,
    summary,
    responses: {
      '200': answer,
      default: {
        description: 'A problem, or an outcome that failed',
        content: { 'application/problem+json': { schema: ref('Problem') } },
      },
    },
  }
}

export function jsonAnswer(description: string, schema: Json): JsonObject {
  return { description, content: { 'application/json': { schema } } }
}

export function jsonBody(schema: Json, required: boolean): JsonObject {
  return { required, content: { 'application/json': { schema } } }
}

export function pathParameter(name: string, description: string): JsonObject {
  return { name, in: 'path', required: true, schema: text, description }
}

export function ref(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` }
}
