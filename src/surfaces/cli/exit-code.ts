// Exit codes of the command line, from the family of an error.
import { type ErrorFamily, familyOf } from '../../tool/error-codes.ts'

const byFamily: Record<ErrorFamily, number> = {
  failed: 1,
  usage: 2,
  'not-found': 3,
  invalid: 4,
  denied: 5,
  limit: 6,
  missing: 7,
}

export function exitCodeOf(errorCode: string): number {
  return errorCode === 'CANCELLED' ? 130 : byFamily[familyOf(errorCode)]
}
