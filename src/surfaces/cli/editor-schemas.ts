// The published JSON Schemas, one line each, and the folder editors find them in.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../../config/make-folder.ts'
import { spacesOf } from '../../config/spaces.ts'
import { stateFolderOf } from '../../config/state-folder.ts'
import type { JsonSchema } from '../../tool/tool.ts'

export const editorSchemas: { readonly [name: string]: () => Promise<JsonSchema> } = {
  config: async () => (await import('../../config/config-schema.ts')).configSchema,
  rye: async () => (await import('../../formats/rye/shapes.ts')).ryeSchema,
  'tools-json': async () => (await import('../../formats/tools-json/shapes.ts')).toolsJsonSchema,
  'tool-code': async () => (await import('../../formats/tool-code/shapes.ts')).toolCodeDocumentSchema,
  skill: async () => (await import('../../formats/skill/shapes.ts')).skillSchema,
  examples: async () => (await import('../examples/examples-schema.ts')).examplesSchema,
  tool: async () => (await import('../../tool/tool-shape.ts')).toolSchema,
}

/** Writes every schema into `<root>/.toolcrib/schemas/`, where `$schema` and modelines of new files point. */
export async function writeEditorSchemas(root: string): Promise<string[]> {
  const state = stateFolderOf(root)
  if (spacesOf(root).state !== state) return []
  const folder = join(state, 'schemas')
  makeFolder(folder)
  const files: string[] = []
  for (const [name, load] of Object.entries(editorSchemas)) {
    const file = join(folder, `${name}.json`)
    writeFileSync(file, `${JSON.stringify(await load(), null, 2)}\n`)
    files.push(file)
  }
  return files
}
