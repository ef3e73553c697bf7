// Every problem code of this format with its severity, and what `--strict` makes of it. `lesser` is the mild
// form some codes have (a malformed version is milder than a missing one).
import type { Problem, Severity } from '../../tool/problem.ts'

interface Row {
  readonly severity: Severity
  readonly strict?: Severity
  readonly lesser?: { readonly severity: Severity; readonly strict: Severity }
}

const mildUnlessStrict = { severity: 'warning', strict: 'error' } as const

export const severities = {
  'tc-json': { severity: 'error' },
  'tc-legacy-v1': { severity: 'error' },
  'tc-duplicate': { severity: 'error' },
  'tc-older': { severity: 'info' },
  'tc-unknown-field': { severity: 'info' },
  'tc-tag-missing': mildUnlessStrict,
  'tc-field-missing': mildUnlessStrict,
  'tc-era-conflict': { severity: 'error', lesser: { severity: 'warning', strict: 'warning' } },
  'tc-name': { severity: 'error' },
  'tc-description': { severity: 'error' },
  'tc-version': { severity: 'error', lesser: mildUnlessStrict },
  'tc-source-misplaced': { severity: 'error' },
  'tc-language': { severity: 'error' },
  'tc-source-empty': { severity: 'error' },
  'tc-source-file': { severity: 'error' },
  'tc-source-syntax': { severity: 'error' },
  'tc-no-execute': { severity: 'error' },
  'tc-import-denied': { severity: 'error' },
  'tc-schema-invalid': { severity: 'error' },
  'tc-example': { severity: 'error', lesser: mildUnlessStrict },
  'tc-limit': { severity: 'error' },
  'tc-permission': { severity: 'error' },
  'tc-secrets': { severity: 'error' },
  'tc-subscription': { severity: 'error' },
  'tc-ui-schema': { severity: 'error' },
  'tc-api-ungranted': { severity: 'warning' },
  'tc-bootstrap': { severity: 'error', lesser: mildUnlessStrict },
  'tc-bootstrap-input': { severity: 'error' },
  'tc-wait-missing': mildUnlessStrict,
  'tc-wait-idle': mildUnlessStrict,
  'tc-wait-cycle': { severity: 'error' },
} as const satisfies Record<string, Row>

export type ProblemCode = keyof typeof severities

/** The severity of a problem of this format under `--strict`; other problems keep theirs. */
export function strictSeverity(problem: Pick<Problem, 'code' | 'severity'>): Severity {
  const row: Row | undefined = (severities as Record<string, Row>)[problem.code]
  if (!row) return problem.severity
  if (row.lesser?.severity === problem.severity) return row.lesser.strict
  return row.strict ?? problem.severity
}
