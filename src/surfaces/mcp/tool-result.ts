// An outcome as an MCP result. A tool's failure is a result too, so that the model can read it and go on.
import type { CallToolResult } from '@modelcontextprotocol/server'
import type { Crib } from '../../crib.ts'
import { isPlainObject } from '../../tool/json.ts'
import type { Outcome } from '../../tool/outcome.ts'
import type { Tool } from '../../tool/tool.ts'
import type { ToolErrorData } from '../../tool/tool-error.ts'
import { jsonOutcome } from '../outcome-json.ts'
import { contentBlocks } from './content-blocks.ts'

export function toolResult(crib: Crib, tool: Tool, given: Outcome): CallToolResult {
  const { outcome } = jsonOutcome(given)
  const meta = { 'toolcrib/runId': outcome.runId, 'toolcrib/enforcement': outcome.enforcement }
  if (!outcome.ok) return errorResult(outcome.error, tool.returns !== null, meta)
  const blocks = tool.returns === null ? contentBlocks(outcome.value) : undefined
  if (blocks) return { content: blocks, _meta: meta }
  const structured = tool.returns ? crib.resultPart(tool, outcome.value) : outcome.value
  return {
    content: contentOf(outcome),
    ...(tool.returns !== null || isPlainObject(structured) ? { structuredContent: structured as never } : {}),
    _meta: meta,
  }
}

export function errorResult(
  error: ToolErrorData,
  hasOutputSchema: boolean,
  meta: { readonly [key: string]: unknown } = {},
): CallToolResult {
  return {
    isError: true,
    content: [{ type: 'text', text: error.hint ? `${error.message}\n${error.hint}` : error.message }],
    ...(hasOutputSchema ? {} : { structuredContent: { error } }),
    _meta: { ...meta, 'toolcrib/error': error },
  }
}

/** Blocks a foreign server sent are passed on; everything else is text. */
function contentOf(outcome: Outcome): CallToolResult['content'] {
  const blocks = outcome.meta?.['content']
  if (Array.isArray(blocks)) return blocks as CallToolResult['content']
  return [{ type: 'text', text: textOf(outcome.value) }]
}

/** A result as a model reads it: text as text, everything else as JSON. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}
