// What the end of a call in Deno comes to: the value, or the error of the outcome table.
import { isNestedDeeper } from '../../tool/json.ts'
import type { LogLevel } from '../../tool/outcome.ts'
import { compileSchema } from '../../tool/schema/compile-schema.ts'
import { describeViolations, faultDetails } from '../../tool/schema/validate.ts'
import type { Tool } from '../../tool/tool.ts'
import { ToolError } from '../../tool/tool-error.ts'
import { type CallEnd, maxLevels } from '../../workers/protocol.ts'

export interface ReadOptions {
  readonly tool: Tool
  readonly outputBytes: number
  line(level: LogLevel, message: string): void
}

/** The tool's result as JSON would carry it; throws the ToolError of the outcome table. */
export function readEnd(message: CallEnd, { tool, outputBytes, line }: ReadOptions): unknown {
  switch (message.t) {
    case 'result':
      return readResult(message.json ?? '', message.isUndefined === true, tool, outputBytes)
    case 'too-large':
      throw tooLarge(tool.id, message.bytes, outputBytes)
    case 'unjson':
      throw new ToolError(
        'RESULT_INVALID',
        `${tool.id} returned ${message.what} at ${message.path || 'its root'}, which JSON cannot hold.`,
        {
          details: faultDetails([{ pointer: message.path, keyword: 'json', message: `is ${message.what}` }]),
        },
      )
    case 'error': {
      if (message.stack !== '') line('error', message.stack)
      throw new ToolError('TOOL_FAILED', message.message, {
        retryable: message.retryable === true,
        details: message.code ? { code: message.code } : undefined,
      })
    }
    default:
      throw new ToolError('TOOL_FAILED', `${tool.id} ended its call in a way that Deno does not have.`)
  }
}

function readResult(json: string, isUndefined: boolean, tool: Tool, outputBytes: number): unknown {
  const bytes = Buffer.byteLength(json)
  if (bytes > outputBytes) throw tooLarge(tool.id, bytes, outputBytes)
  if (isUndefined) {
    const violations = tool.returns
      ? compileSchema(tool.returns, { fillDefaults: false }).violations(null)
      : []
    if (violations.length === 0) return null
    throw new ToolError('RESULT_INVALID', `${tool.id}: execute returned undefined.`, {
      details: faultDetails(violations),
      hint: `The output schema wants a value: ${describeViolations(violations, 'the result')}.`,
    })
  }
  if (isNestedDeeper(json, maxLevels))
    throw new ToolError(
      'RESULT_INVALID',
      `${tool.id} returned a value that is nested deeper than ${maxLevels} levels.`,
    )
  try {
    return JSON.parse(json)
  } catch {
    throw new ToolError('RESULT_INVALID', `${tool.id} sent a result that is not JSON.`)
  }
}

function tooLarge(toolId: string, bytes: number, maxBytes: number): ToolError {
  return new ToolError(
    'OUTPUT_TOO_LARGE',
    `${toolId} returned ${bytes} bytes; at most ${maxBytes} are taken.`,
    {
      details: { bytes, maxBytes },
      hint: 'Return less, or raise deno.outputBytes in toolcrib.yaml.',
    },
  )
}

/** An error outside of `execute`. */
export function strayError(kind: 'rejection' | 'error', message: string): ToolError {
  return kind === 'rejection'
    ? new ToolError('UNHANDLED_REJECTION', message, {
        hint: 'A promise was rejected and nobody awaited or caught it.',
      })
    : new ToolError('UNCAUGHT_ERROR', message, {
        hint: 'An error was thrown outside of execute, in a timer or an event.',
      })
}
