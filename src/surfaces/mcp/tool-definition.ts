// A tool as MCP clients see it. Schemas are given as they are, without what only this program understands; a foreign
// server's definition is given whole (U2).
import type { Tool as McpTool } from '@modelcontextprotocol/server'
import { coversCapability } from '../../tool/capability.ts'
import { isPlainObject, type JsonObject } from '../../tool/json.ts'
import { withoutResolve } from '../../tool/schema/resolve-schema.ts'
import type { JsonSchema, Tool } from '../../tool/tool.ts'
import { rootObject } from '../exports/root-object.ts'

export function toolDefinition(tool: Tool): McpTool {
  const more = tool.details?.more
  const title = more ? undefined : tool.title
  const annotations = annotationsOf(tool)
  return {
    ...more,
    name: tool.name,
    ...(title ? { title } : {}),
    ...(tool.description === '' ? {} : { description: tool.description }),
    inputSchema: clientSchema(tool) as McpTool['inputSchema'],
    ...(tool.returns ? { outputSchema: withoutResolve(tool.returns) as McpTool['outputSchema'] } : {}),
    ...(annotations ? { annotations } : {}),
    _meta: { ...metaOf(more), 'toolcrib/id': tool.id, 'toolcrib/format': tool.format },
  }
}

function metaOf(more: JsonObject | undefined): object {
  return isPlainObject(more?.['_meta']) ? more['_meta'] : {}
}

/** Always of type object, as the protocol wants it. */
export function inputSchema(tool: Tool): JsonSchema {
  if (tool.params === null) return { type: 'object', properties: {}, additionalProperties: false }
  return { ...withoutResolve(tool.params), type: 'object' }
}

/** With its properties at the root: clients drop tools whose schema is a choice there (U3c). */
function clientSchema(tool: Tool): JsonSchema {
  return rootObject(inputSchema(tool))
}

const changing = ['fs.write', 'shell.execute', 'net.http', 'net.call']
const reaching = ['net.http', 'net.call']

/** Hints from what the tool states: tags first, then the capabilities it needs. Nothing is made up for a server. */
function annotationsOf(tool: Tool): McpTool['annotations'] {
  if (tool.details?.annotations || tool.details?.more) return tool.details.annotations
  const has = (...tags: string[]) => tool.tags.some((tag) => tags.includes(tag.toLowerCase()))
  const needs = (capabilities: readonly string[]) =>
    tool.requires?.some((need) => capabilities.some((capability) => coversCapability(need, capability)))
  const isReadOnly =
    (has('read-only', 'readonly') && !needs(changing)) ||
    (tool.requires !== null && !needs(changing) && !has('destructive'))
  return {
    ...(tool.title ? { title: tool.title } : {}),
    readOnlyHint: isReadOnly,
    ...(isReadOnly ? {} : { destructiveHint: !has('non-destructive', 'additive') }),
    ...(has('idempotent') ? { idempotentHint: true } : {}),
    ...(tool.requires === null ? {} : { openWorldHint: needs(reaching) === true }),
  }
}
