// The codes a failed call can carry, each with the family that decides exit code and HTTP status at the edges.
// Formats may add codes of their own (CASCADE_INVALID, WORKER_LOST …); none renames these.
import { isPlainObject } from './json.ts'

export type ErrorFamily = 'failed' | 'usage' | 'not-found' | 'invalid' | 'denied' | 'limit' | 'missing'

const errorCodes = {
  TOOL_NOT_FOUND: 'not-found',
  TOOL_NOT_CALLABLE: 'invalid',
  TOOL_INVALID: 'invalid',
  CHAIN_INVALID: 'invalid',
  CONFIG_INVALID: 'invalid',
  PARAMS_INVALID: 'invalid',
  RESULT_INVALID: 'invalid',
  TRUST_UNSIGNED: 'denied',
  TRUST_UNTRUSTED: 'denied',
  TRUST_TAMPERED: 'denied',
  TRUST_DRIFT: 'denied',
  CAPABILITY_DENIED: 'denied',
  TOOL_NOT_ALLOWED: 'denied',
  TOOL_DENIED: 'denied',
  APPROVAL_DENIED: 'denied',
  AUTH_REQUIRED: 'denied',
  HALTED: 'denied',
  COMMAND_NOT_ALLOWED: 'denied',
  COMMAND_NOT_FOUND: 'missing',
  COMMAND_FAILED: 'failed',
  COMMAND_ARG_REFUSED: 'invalid',
  SECRET_MISSING: 'missing',
  SECRET_DENIED: 'denied',
  SECRET_UNREADABLE: 'missing',
  SECRETS_KEY_MISSING: 'missing',
  RUNTIME_MISSING: 'missing',
  MODEL_MISSING: 'missing',
  SANDBOX_UNAVAILABLE: 'missing',
  TIMEOUT: 'limit',
  MEMORY_LIMIT: 'limit',
  PROCESS_LIMIT: 'limit',
  OUTPUT_TOO_LARGE: 'limit',
  TOOL_FAILED: 'failed',
  UPSTREAM_FAILED: 'failed',
  CANCELLED: 'failed',
  BUSY: 'limit',
  CONFLICT: 'failed',
  INTERNAL: 'failed',
  // codes that single formats add
  CASCADE_INVALID: 'invalid',
  SCHEMA_INVALID: 'invalid',
  EXPORT_INVALID: 'invalid',
  INLINE_INVALID: 'invalid',
  REF_INVALID: 'invalid',
  PATH_OUTSIDE: 'denied',
  INJECT_LATE: 'failed',
  DEPTH_EXCEEDED: 'limit',
  MAIN_MISSING: 'not-found',
  RUN_NOT_FOUND: 'not-found',
  TOKEN_NOT_FOUND: 'not-found',
  OFFER_NOT_FOUND: 'not-found',
  KEY_NOT_FOUND: 'not-found',
  MAIN_AMBIGUOUS: 'invalid',
  TURNS_EXCEEDED: 'limit',
  BUDGET_EXCEEDED: 'limit',
  TOOL_EXITED: 'failed',
  UNHANDLED_REJECTION: 'failed',
  UNCAUGHT_ERROR: 'failed',
  LOAD_FAILED: 'invalid',
  LOAD_TIMEOUT: 'limit',
  WORKER_LOST: 'failed',
  LOOP_DEPTH: 'limit',
  REQUEST_INVALID: 'invalid',
  VECTOR_UNSUPPORTED: 'invalid',
  CALL_OVER: 'failed',
  REQUEST_STALE: 'limit',
  SUB_OVERFLOW: 'limit',
  SCHED_INVALID: 'invalid',
  ENV_NOT_ALLOWED: 'denied',
  SECRET_NOT_FOUND: 'not-found',
  STORE_UNAVAILABLE: 'missing',
  // codes of breadcrumbs, secrets and the store
  NOT_FOUND: 'not-found',
  FORBIDDEN: 'denied',
  MALFORMED: 'invalid',
  IF_MATCH_INVALID: 'invalid',
  INVALID: 'invalid',
  TOO_LARGE: 'invalid',
  SETTINGS_INVALID: 'invalid',
  IDEMPOTENCY_KEY_REUSED: 'invalid',
  NOT_A_REQUEST: 'invalid',
  VERSION_MISMATCH: 'failed',
  SECRET_EXISTS: 'failed',
  STORE_NOT_EMPTY: 'failed',
  STORE_COPY_DIFFERS: 'missing',
  STORE_ADDRESS: 'missing',
  STORE_BUSY: 'missing',
  STORE_CLOSED: 'missing',
  STORE_CORRUPT: 'missing',
  STORE_DENIED: 'missing',
  STORE_FULL: 'missing',
  STORE_IO: 'missing',
  STORE_MISSING: 'missing',
  STORE_NEWER: 'missing',
  STORE_TLS: 'missing',
  STORE_UNREACHABLE: 'missing',
  STORE_UNSUPPORTED: 'missing',
  STORE_UNWRITABLE: 'missing',
  BUS_ADDRESS: 'missing',
  BUS_DENIED: 'missing',
  BUS_NEEDS_POSTGRES: 'missing',
  BUS_NO_JETSTREAM: 'missing',
  BUS_UNREACHABLE: 'missing',
  BUS_UNSUPPORTED: 'missing',
  ROUTE_NOT_FOUND: 'not-found',
  FILE_NOT_FOUND: 'not-found',
  APPROVAL_NOT_FOUND: 'not-found',
  NOT_OFFERED: 'not-found',
  BODY_INVALID: 'usage',
  BODY_NOT_JSON: 'usage',
  BODY_TOO_LARGE: 'limit',
  TOO_MANY_OPEN: 'limit',
  TOKEN_MISSING: 'denied',
  TOKEN_INVALID: 'denied',
  ADMIN_NEEDED: 'denied',
  HOST_REFUSED: 'denied',
  ORIGIN_REFUSED: 'denied',
  NOT_READY: 'missing',
} as const satisfies Record<string, ErrorFamily>

export type ErrorCode = keyof typeof errorCodes

/** The family of a code; a code this program does not know counts as a plain failure. */
export function familyOf(code: string): ErrorFamily {
  return (errorCodes as Record<string, ErrorFamily>)[code] ?? 'failed'
}

/** What a family is at the edges: the exit code of the command line and the status of an HTTP answer. */
const edges: Record<ErrorFamily, { readonly exitCode: number; readonly status: number }> = {
  failed: { exitCode: 1, status: 502 },
  usage: { exitCode: 2, status: 400 },
  'not-found': { exitCode: 3, status: 404 },
  invalid: { exitCode: 4, status: 422 },
  denied: { exitCode: 5, status: 403 },
  limit: { exitCode: 6, status: 502 },
  missing: { exitCode: 7, status: 503 },
}

/** Codes that are told apart from the rest of their family. */
const ownStatus: { readonly [code: string]: number } = {
  TIMEOUT: 504,
  BUSY: 503,
  INTERNAL: 500,
  CONFIG_INVALID: 503,
  CONFLICT: 409,
  CALL_OVER: 409,
  SECRET_EXISTS: 409,
  STORE_NOT_EMPTY: 409,
  MALFORMED: 400,
  IF_MATCH_INVALID: 400,
  VERSION_MISMATCH: 412,
  TOO_LARGE: 413,
  BODY_TOO_LARGE: 413,
  BODY_NOT_JSON: 415,
  HOST_REFUSED: 421,
  TOO_MANY_OPEN: 429,
  TOKEN_MISSING: 401,
  TOKEN_INVALID: 401,
}

/** The HTTP status of an error; 502 says that the tool ran and failed. */
export function statusOfCode(code: string): number {
  return ownStatus[code] ?? edges[familyOf(code)].status
}

/** The exit code of the command line. */
export function exitCodeOf(code: string): number {
  return code === 'CANCELLED' ? 130 : edges[familyOf(code)].exitCode
}

/** Codes that 0.1.0 did not tell apart from another. */
const legacyCodes: { readonly [code: string]: string } = {
  SETTINGS_INVALID: 'CONFIG_INVALID',
  BODY_NOT_JSON: 'BODY_INVALID',
  TOO_MANY_OPEN: 'BUSY',
}

/** Codes of breadcrumbs that 0.1.0 wrote in lower case. */
const lowerBefore =
  /^(NOT_FOUND|VERSION_MISMATCH|MALFORMED|INVALID|IF_MATCH_INVALID|FORBIDDEN|SECRET_EXISTS|TOO_LARGE|NOT_A_REQUEST|IDEMPOTENCY_KEY_REUSED|NOT_OFFERED|(STORE|BUS)_(?!UNAVAILABLE)[A-Z_]+)$/

/** The code that 0.1.0 gave an error, if another: told as `legacyCode` in problem documents until 0.3. */
export function legacyCodeOf(error: {
  readonly code: string
  readonly details?: unknown
}): string | undefined {
  const { code, details } = error
  // A refused definition had the code of its first problem.
  const first: unknown = code === 'TOOL_INVALID' && Array.isArray(details) ? details[0] : undefined
  if (isPlainObject(first) && typeof first['code'] === 'string') return first['code']
  return legacyCodes[code] ?? (lowerBefore.test(code) ? code.toLowerCase() : undefined)
}
