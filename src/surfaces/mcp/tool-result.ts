// An outcome as an MCP result. A tool's failure is a result too, so that the model can read it and go on.
import type { CallToolResult } from '@modelcontextprotocol/server'
import type { Crib } from '../../crib/crib.ts'
import { isPlainObject } from '../../tool/json.ts'
import { type Effects, enforcementText, type Failure, type Outcome } from '../../tool/outcome.ts'
import type { Tool } from '../../tool/tool.ts'
import type { ToolErrorData } from '../../tool/tool-error.ts'
import { jsonOutcome } from '../outcome-json.ts'
import { contentBlocks } from './content-blocks.ts'

export function toolResult(crib: Crib, tool: Tool, given: Outcome): CallToolResult {
  const text = given.ok ? textOf(given.value) : undefined
  // What cannot be written as JSON becomes a failure that says so.
  const outcome = given.ok && text === undefined ? jsonOutcome(given).outcome : given
  const meta = {
    ...serverMeta(outcome),
    'toolcrib/runId': outcome.runId,
    'toolcrib/enforcement': outcome.enforcement,
    ...(outcome.effects && { 'toolcrib/effects': outcome.effects }),
  }
  if (!outcome.ok) return failedResult(tool, outcome, meta)
  const blocks = tool.returns === null ? contentBlocks(outcome.value) : undefined
  if (blocks) return { content: blocks, _meta: meta }
  const structured = tool.returns ? crib.resultPart(tool, outcome.value ?? null) : outcome.value
  return {
    content: contentOf(outcome, text!),
    structuredContent: tool.returns !== null || isPlainObject(structured) ? (structured as never) : undefined,
    _meta: meta,
  }
}

/** Members that a transport adds to a result, as JSON text without the braces around them. */
export interface MoreMembers {
  readonly meta: string
  readonly result: string
}

/** The same as JSON text. A plain value, which stands in it as text and as data, is written once. */
export function toolResultText(crib: Crib, tool: Tool, outcome: Outcome, more?: MoreMembers): string {
  const [meta, rest] = more ? [`,${more.meta}`, `,${more.result}`] : ['', '']
  const text = outcome.ok && isPlain(tool, outcome) ? textOf(outcome.value) : undefined
  if (text?.startsWith('{'))
    return (
      `{"content":[{"type":"text","text":${JSON.stringify(text)}}],"structuredContent":${text},` +
      `"_meta":{"toolcrib/runId":${JSON.stringify(outcome.runId)},` +
      `"toolcrib/enforcement":${enforcementText(outcome.enforcement)}${outcome.effects ? effectsMember(outcome.effects) : ''}${meta}}${rest}}`
    )
  const { _meta, ...result } = toolResult(crib, tool, outcome)
  return `${JSON.stringify(result).slice(0, -1)},"_meta":${JSON.stringify(_meta).slice(0, -1)}${meta}}${rest}}`
}

function effectsMember(effects: Effects): string {
  return `,"toolcrib/effects":${JSON.stringify(effects)}`
}

/** Whether a result is an object of the tool's own making. */
function isPlain(tool: Tool, { value, meta }: Outcome): boolean {
  return (
    tool.returns === null &&
    isPlainObject(value) &&
    meta?.['content'] === undefined &&
    meta?.['resultMeta'] === undefined &&
    (value['content'] === undefined || contentBlocks(value) === undefined)
  )
}

/** A failure that a foreign server told in blocks is passed on in its words (U3a). */
function failedResult(tool: Tool, { error, meta }: Failure, resultMeta: Meta): CallToolResult {
  const result = errorResult(error, tool.returns !== null, resultMeta)
  const blocks = meta?.['content']
  if (!Array.isArray(blocks)) return result
  const structuredContent = isPlainObject(error.details) ? error.details : undefined
  return { ...result, content: blocks as CallToolResult['content'], structuredContent }
}

/** What a foreign server says of its result, without what speaks for a protocol or for this program. */
function serverMeta({ meta }: Outcome): Meta {
  const given = meta?.['resultMeta']
  return isPlainObject(given) ? foreignMeta(given) : {}
}

export function foreignMeta(given: Meta): { [key: string]: unknown } {
  return Object.fromEntries(
    Object.entries(given).filter(([key]) => !/^(toolcrib|io\.modelcontextprotocol)\//.test(key)),
  )
}

type Meta = { readonly [key: string]: unknown }

export function errorResult(
  error: ToolErrorData,
  hasOutputSchema: boolean,
  meta: { readonly [key: string]: unknown } = {},
): CallToolResult {
  return {
    isError: true,
    content: [{ type: 'text', text: error.hint ? `${error.message}\n${error.hint}` : error.message }],
    structuredContent: hasOutputSchema ? undefined : { error },
    _meta: { ...meta, 'toolcrib/error': error },
  }
}

/** Blocks a foreign server sent are passed on; everything else is text. */
function contentOf(outcome: Outcome, text: string): CallToolResult['content'] {
  const blocks = outcome.meta?.['content']
  if (Array.isArray(blocks)) return blocks as CallToolResult['content']
  return [{ type: 'text', text }]
}

/** A result as a model reads it: text as text, everything else as JSON; undefined when it is no JSON. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  try {
    return JSON.stringify(value ?? null) ?? ''
  } catch {
    return undefined
  }
}
