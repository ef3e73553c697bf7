// A PostgreSQL failure in words: what happened, to which server, what to do. No message carries a password.
import type { ErrorCode } from '../../tool/error-codes.ts'
import { isToolError, type ToolError } from '../../tool/tool-error.ts'
import { storeFault } from '../store-error.ts'

const unreachable = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EPIPE',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  '57P01',
  '57P02',
  '57P03',
  '08000',
  '08001',
  '08003',
  '08004',
  '08006',
  '53300',
  '25006',
])

/** True for failures that pass by themselves: the server restarts, a connection broke, it is too busy. */
export function isPassing(error: unknown): boolean {
  const { code, message = '' } = error as { code?: string; message?: string }
  if (code !== undefined && unreachable.has(code)) return true
  return /Connection terminated|timeout exceeded|Query read timeout|Client has encountered a connection error|not queryable|Client was closed/i.test(
    message,
  )
}

export function databaseError(error: unknown, where: string): unknown {
  if (isToolError(error)) return error
  const { code = '', message = '' } = error as { code?: string; message?: string }
  const make = (short: ErrorCode, text: string, hint: string): ToolError =>
    storeFault(short, text, { hint, cause: error })
  if (code === '28P01' || code === '28000' || /SASL|password/i.test(message))
    return make(
      'STORE_DENIED',
      `PostgreSQL at ${where} refused the user or the password.`,
      'Check the user and the password in `store` (or PGPASSWORD), and pg_hba.conf of the server.',
    )
  if (code === '3D000')
    return make(
      'STORE_MISSING',
      `PostgreSQL at ${where} has no such database.`,
      'Make it with createdb, or correct the name in `store`.',
    )
  if (code === '42501')
    return make(
      'STORE_UNWRITABLE',
      `The user of ${where} may not create or change the tables.`,
      'GRANT CREATE ON DATABASE to it, or make the schema and give it to the user.',
    )
  if (code === '53100' || code === '53200')
    return make(
      'STORE_FULL',
      `PostgreSQL at ${where} is out of ${code === '53100' ? 'disk space' : 'memory'}: nothing was stored.`,
      'Free some and repeat.',
    )
  if (code === '40P01' || code === '40001' || code === '57014' || code === '55P03')
    return make('STORE_BUSY', `PostgreSQL at ${where} is too busy: nothing was stored.`, 'Repeat.')
  if (isPassing(error))
    return make(
      'STORE_UNREACHABLE',
      `PostgreSQL at ${where} does not answer (${code || message}).`,
      'Check that the server runs and that the address in `store` is right. Nodes go on by themselves when it is back.',
    )
  if (/SSL|TLS|certificate/i.test(message))
    return make(
      'STORE_TLS',
      `No TLS connection to PostgreSQL at ${where}: ${message}.`,
      'Set sslmode in the address, for example ?sslmode=require or ?sslmode=disable.',
    )
  return error
}
