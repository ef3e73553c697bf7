// Where a tool comes from, as a URI.
import { pathToFileURL } from 'node:url'
import type { Tool } from './tool.ts'

/** `file://…`, `mcp://server/tool`, or null for tools made in code. */
export function uriOf(tool: Tool): string | null {
  if (tool.details?.uri !== undefined) return tool.details.uri
  return tool.source.file === null ? null : pathToFileURL(tool.source.file).href
}
