// The file that `toolcrib types` writes: every tool's parameters and result, so that `crib.call` is checked and
// completed. Names and texts of tools are strangers' and stand only inside JSON strings and comments.
import type { Tool } from '../../tool/tool.ts'
import { comment, schemaAsType } from './schema-as-type.ts'

/** The declarations for these tools, by id. Values of a format that wraps may be the result or have it as `data`. */
export function typesText(tools: readonly Tool[], wraps: (tool: Tool) => boolean): string {
  const members = tools.map((tool) => {
    const result = typeOf(tool.returns)
    const value = wraps(tool) && result !== 'unknown' ? `${result} | { data: ${result} }` : result
    return `    ${comment(tool)}${JSON.stringify(tool.id)}: { params: ${typeOf(tool.params)}; result: ${value} }`
  })
  return [
    '// Written by `toolcrib types`. Run it again when tools change.',
    "import 'toolcrib'",
    '',
    "declare module 'toolcrib' {",
    '  interface ToolTypes {',
    ...members,
    '  }',
    '}',
    '',
  ].join('\n')
}

function typeOf(schema: Tool['params'] | undefined): string {
  return schema ? schemaAsType(schema, schema) : 'unknown'
}
