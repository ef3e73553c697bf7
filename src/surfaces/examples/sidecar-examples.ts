// Examples for formats that have no field for them: `<file without ending>.examples.yaml` beside the tool, a list
// of `{ title?, params, expect? | expectError?, match? }`, or a map from tool id to such a list.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, parse as parsePath } from 'node:path'
import { parse } from 'yaml'
import { isPlainObject } from '../../tool/json.ts'
import type { Example, Tool } from '../../tool/tool.ts'
import { ToolError } from '../../tool/tool-error.ts'

/** The examples of the sidecar file, if there is one; throws TOOL_INVALID when it cannot be read. */
export function sidecarExamples(tool: Tool): Example[] {
  if (!tool.source.file) return []
  const file = join(dirname(tool.source.file), `${parsePath(tool.source.file).name}.examples.yaml`)
  if (!existsSync(file)) return []
  let content: unknown
  try {
    content = parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new ToolError(
      'TOOL_INVALID',
      `${file} is not valid YAML: ${(error as Error).message.split('\n')[0]}.`,
    )
  }
  const list = isPlainObject(content) ? content[tool.id] : content
  if (list === undefined || list === null) return []
  if (!Array.isArray(list) || !list.every(isPlainObject))
    throw new ToolError('TOOL_INVALID', `${file} must hold a list of examples.`, {
      hint: 'Each is { title?, params, expect? | expectError?, match? }.',
    })
  return list.map((item) => ({ params: {}, ...item }))
}
