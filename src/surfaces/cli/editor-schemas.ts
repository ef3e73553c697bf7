// The published JSON Schemas, one line each.
import type { JsonSchema } from '../../tool/tool.ts'

export const editorSchemas: { readonly [name: string]: () => Promise<JsonSchema> } = {
  config: async () => (await import('../../config/config-schema.ts')).configSchema,
  tool: async () => (await import('../../tool/tool-schema.ts')).toolSchema,
  'tool-code': async () => (await import('../../formats/tool-code/schema.ts')).toolCodeDocumentSchema,
  'tools-json': async () => (await import('../../formats/tools-json/schema.ts')).toolsJsonSchema,
}
