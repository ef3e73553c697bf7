// The error of a result that JSON cannot hold, the same wherever it is met.
import { ToolError } from './tool-error.ts'

/** A tool gave back what JSON cannot hold; `why`: in the words of who tried to write it. */
export function notJson(why: string): ToolError {
  return new ToolError('RESULT_INVALID', `The result cannot be written as JSON: ${why}.`, {
    hint: 'The tool must return JSON values: no cycles, no BigInt.',
  })
}
