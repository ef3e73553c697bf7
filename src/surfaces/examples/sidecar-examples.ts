// Examples for formats that have no field for them: `<file without ending>.examples.yaml` beside the tool, a list
// of `{ title?, params, expect? | expectError?, match? }`, or a map from tool id to such a list.
import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join, parse as parsePath } from 'node:path'
import { isMap, isSeq, parse, parseDocument, YAMLSeq } from 'yaml'
import { writeBelow } from '../../files/write-below.ts'
import { isPlainObject } from '../../tool/json.ts'
import type { Example, Tool } from '../../tool/tool.ts'
import { ToolError } from '../../tool/tool-error.ts'

const keys = ['title', 'params', 'expect', 'expectError', 'match']
const hint =
  'Each example is { title?, params, expect? | expectError?, match? }; see `toolcrib schema examples`.'

/** Where the examples of a tool stand; null for tools that have no file. */
export function sidecarFile(tool: Tool): string | null {
  const { file } = tool.source
  return file === null ? null : join(dirname(file), `${parsePath(file).name}.examples.yaml`)
}

/** The examples of the sidecar file, if there is one; throws TOOL_INVALID when it cannot be read. */
export function sidecarExamples(tool: Tool): Example[] {
  const file = sidecarFile(tool)
  if (file === null || !existsSync(file)) return []
  let content: unknown
  try {
    content = parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new ToolError(
      'TOOL_INVALID',
      `${file} is not valid YAML: ${(error as Error).message.split('\n')[0]}.`,
      { hint },
    )
  }
  const list = isPlainObject(content) ? content[tool.id] : content
  if (list === undefined || list === null) return []
  if (!Array.isArray(list) || !list.every(isPlainObject))
    throw new ToolError('TOOL_INVALID', `${file} must hold a list of examples.`, { hint })
  for (const [index, item] of list.entries()) {
    const unknown = Object.keys(item).find((key) => !keys.includes(key))
    if (unknown !== undefined)
      throw new ToolError('TOOL_INVALID', `${file}: example ${index + 1} has an unknown key "${unknown}".`, {
        hint,
      })
  }
  return list.map((item) => ({ params: {}, ...item }))
}

/** Adds an example at the end, comments and order of the file kept; gives back the file. `isShared`: several tools stand in its file. */
export function addSidecarExample(tool: Tool, example: Example, isShared: boolean): string {
  const file = sidecarFile(tool)
  if (file === null)
    throw new ToolError('TOOL_INVALID', `${tool.id} has no file, so there is nowhere to keep an example.`)
  const document = parseDocument(existsSync(file) ? readFileSync(file, 'utf8') : '')
  if (document.errors.length > 0)
    throw new ToolError('TOOL_INVALID', `${file} is not valid YAML: ${document.errors[0]!.message}`, { hint })
  const node = document.createNode(example)
  const { contents } = document
  if (isSeq(contents)) document.addIn([], node)
  else if (isMap(contents)) {
    if (isSeq(contents.get(tool.id))) document.addIn([tool.id], node)
    else document.setIn([tool.id], listOf(node))
  } else {
    const own = document.createNode(isShared ? { [tool.id]: [] } : [])
    document.contents = own as typeof document.contents
    if (isShared) document.setIn([tool.id], listOf(node))
    else (own as YAMLSeq).add(node)
    document.commentBefore = ` Run with \`toolcrib test ${tool.id}\`.`
  }
  return writeBelow(dirname(file), basename(file), document.toString({ lineWidth: 110 }))
}

function listOf(node: unknown): YAMLSeq {
  const list = new YAMLSeq()
  list.add(node)
  return list
}
