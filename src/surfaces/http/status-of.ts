// Which HTTP status an outcome is answered with: 200 whenever the tool ran, also when it failed.
import { familyOf } from '../../tool/error-codes.ts'
import type { Outcome } from '../../tool/outcome.ts'

const byCode: Record<string, number> = {
  TIMEOUT: 504,
  APPROVAL_DENIED: 403,
  BUSY: 503,
  INTERNAL: 500,
  CONFIG_INVALID: 503,
  CONFLICT: 409,
}

export function statusOf(
  outcome: Pick<Outcome, 'ok'> & { readonly error?: { readonly code: string } },
): number {
  if (outcome.ok || !outcome.error) return 200
  const { code } = outcome.error
  const known = byCode[code]
  if (known !== undefined) return known
  switch (familyOf(code)) {
    case 'not-found':
      return 404
    case 'invalid':
      return 422
    case 'denied':
      return 403
    case 'missing':
      return 503
    default:
      return 200
  }
}
