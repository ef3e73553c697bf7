// How serious each problem of the format is, by default and under `--strict`, in one table.
import type { Problem, Severity } from '../../tool/problem.ts'

const table = {
  'metadata-parse': ['error', 'error'],
  'field-type': ['error', 'error'],
  'missing-field': ['error', 'error'],
  'description-fallback': ['warning', 'error'],
  'tool-id-derived': ['warning', 'error'],
  'tool-id-style': ['warning', 'error'],
  'tool-id-invalid': ['error', 'error'],
  'tool-id-duplicate': ['warning', 'error'],
  'category-mismatch': ['error', 'error'],
  'version-invalid': ['error', 'error'],
  'executor-null-type': ['warning', 'error'],
  'executor-missing': ['error', 'error'],
  'executor-absent': ['warning', 'error'],
  'executor-language': ['warning', 'error'],
  'param-type-invalid': ['error', 'error'],
  'param-type-unknown': ['warning', 'error'],
  'param-duplicate': ['error', 'error'],
  'capability-format': ['error', 'error'],
  'pattern-invalid': ['error', 'error'],
  'enum-empty': ['error', 'error'],
  'entry-missing': ['error', 'error'],
  'schema-invalid': ['error', 'error'],
  'schema-not-static': ['warning', 'error'],
  'schema-conflict': ['warning', 'error'],
  'schema-inferred': ['info', 'info'],
  'duplicate-id': ['warning', 'error'],
  'default-invalid': ['warning', 'error'],
  'helper-typed': ['warning', 'error'],
  shadowed: ['info', 'info'],
  deprecated: ['warning', 'warning'],
  'symlink-escape': ['error', 'error'],
  'config-resolve-invalid': ['error', 'error'],
  'mcp-config': ['error', 'error'],
  'mcp-transport': ['warning', 'error'],
  'command-from-param': ['error', 'error'],
  'shell-template': ['error', 'error'],
  'no-code': ['warning', 'error'],
  'param-undocumented': ['info', 'warning'],
  'param-name-style': ['info', 'warning'],
  'no-main-block': ['info', 'warning'],
  'chain-too-deep': ['error', 'error'],
  'chain-cycle': ['error', 'error'],
  'executor-not-found': ['error', 'error'],
  'executor-tier': ['error', 'error'],
  'unknown-primitive': ['error', 'error'],
} as const satisfies Record<string, readonly [Severity, Severity]>

export type RyeCode = keyof typeof table

export function defaultSeverity(code: RyeCode): Severity {
  return table[code][0]
}

/** The severity of a problem under `--strict`; a code of another format keeps its own. */
export function strictSeverity(problem: Pick<Problem, 'code' | 'severity'>): Severity {
  return (table as Record<string, readonly [Severity, Severity]>)[problem.code]?.[1] ?? problem.severity
}
