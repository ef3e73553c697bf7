// A tool as MCP clients see it. Schemas are given as they are, without what only this house understands.
import type { Tool as McpTool } from '@modelcontextprotocol/server'
import { coversCapability } from '../../tool/capability.ts'
import { withoutResolve } from '../../tool/schema/resolve-schema.ts'
import type { JsonSchema, Tool } from '../../tool/tool.ts'

export { isOffered } from '../../catalog/offered-tools.ts'

export function toolDefinition(tool: Tool): McpTool {
  return {
    name: tool.name,
    ...(tool.title ? { title: tool.title } : {}),
    ...(tool.description === '' ? {} : { description: tool.description }),
    inputSchema: inputSchema(tool) as McpTool['inputSchema'],
    ...(tool.returns ? { outputSchema: withoutResolve(tool.returns) as McpTool['outputSchema'] } : {}),
    annotations: annotationsOf(tool),
    _meta: { 'toolcrib/id': tool.id, 'toolcrib/format': tool.format },
  }
}

/** Always of type object, as the protocol wants it. */
export function inputSchema(tool: Tool): JsonSchema {
  if (tool.params === null) return { type: 'object', properties: {}, additionalProperties: false }
  return { ...withoutResolve(tool.params), type: 'object' }
}

const changing = ['fs.write', 'shell.execute', 'net.http', 'net.call']
const reaching = ['net.http', 'net.call']

/** Hints from what the tool states: tags first, then the capabilities it needs. */
function annotationsOf(tool: Tool): NonNullable<McpTool['annotations']> {
  if (tool.details?.annotations) return tool.details.annotations
  const has = (...tags: string[]) => tool.tags.some((tag) => tags.includes(tag.toLowerCase()))
  const needs = (capabilities: readonly string[]) =>
    tool.requires?.some((need) => capabilities.some((capability) => coversCapability(need, capability)))
  const isReadOnly =
    has('read-only', 'readonly') || (tool.requires !== null && !needs(changing) && !has('destructive'))
  return {
    ...(tool.title ? { title: tool.title } : {}),
    readOnlyHint: isReadOnly,
    ...(isReadOnly ? {} : { destructiveHint: !has('non-destructive', 'additive') }),
    ...(has('idempotent') ? { idempotentHint: true } : {}),
    ...(tool.requires === null ? {} : { openWorldHint: needs(reaching) === true }),
  }
}
