// Which HTTP status an outcome is answered with: 200 whenever the tool ran, also when it failed.
import { statusOfCode } from '../../tool/error-codes.ts'
import type { Outcome } from '../../tool/outcome.ts'

export function statusOf(
  outcome: Pick<Outcome, 'ok'> & { readonly error?: { readonly code: string } },
): number {
  if (outcome.ok || !outcome.error) return 200
  const status = statusOfCode(outcome.error.code)
  return status === 502 ? 200 : status
}
