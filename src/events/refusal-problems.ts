// A breadcrumb that was refused, as problems of the file it stands in: one for each fault, with its line.
import { parseJsonWithPositions } from '../formats/json-with-positions.ts'
import { legacyCodeOf } from '../tool/error-codes.ts'
import { isPlainObject } from '../tool/json.ts'
import type { Problem } from '../tool/problem.ts'
import type { ToolError } from '../tool/tool-error.ts'

const bounds = { maxBytes: 16_777_216, maxDepth: 200 }
const hint = 'Correct what is named; until then the file is not taken into the store.'

export function refusalProblems(
  error: ToolError,
  { path, text }: { readonly path: string; readonly text: string },
): Problem[] {
  const faults = (Array.isArray(error.details) ? error.details : []).filter(isFault)
  const document = parseJsonWithPositions(text, bounds)
  return (faults.length === 0 ? [{ pointer: '', message: '' }] : faults).map(({ pointer, message }) => ({
    code: legacyCodeOf(error) ?? error.code,
    severity: 'error',
    message: faults.length > 1 ? `The breadcrumb is not valid: ${pointer} ${message}.` : error.message,
    hint: faults.length > 0 ? hint : (error.hint ?? hint),
    file: path,
    ...document.valueAt(pointer),
    pointer,
  }))
}

function isFault(value: unknown): value is { readonly pointer: string; readonly message: string } {
  return isPlainObject(value) && typeof value['pointer'] === 'string' && typeof value['message'] === 'string'
}
