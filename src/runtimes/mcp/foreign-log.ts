// A log message of a foreign server as a line of the call it was said in, and back as it came for clients of MCP (U1).
import { isPlainObject, type Json, type JsonObject } from '../../tool/json.ts'
import type { LogLevel, LogLine } from '../../tool/outcome.ts'

export interface ForeignLog {
  readonly level: string
  readonly logger?: string
  readonly data: Json
}

/** From the least important on. */
const order = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency']

/** Whether a message of this level is wanted by one who wants those from `least` up. */
export function isAtLeast(level: string, least: string): boolean {
  return order.indexOf(level) >= order.indexOf(least)
}

const levels: { readonly [level: string]: LogLevel } = {
  debug: 'debug',
  info: 'info',
  notice: 'info',
  warning: 'warn',
}

/** The server's own words stay in the line's data. */
export function lineOf(said: ForeignLog): Pick<LogLine, 'level' | 'message'> & { readonly data: Json } {
  const { level, logger, data } = said
  const message = typeof data === 'string' ? data : JSON.stringify(data ?? null)
  const own: JsonObject = logger === undefined ? { level, data } : { level, logger, data }
  return { level: levels[level] ?? 'error', message, data: { 'mcp/log': own } }
}

/** What a server said in this line; undefined for a line of anybody else. */
export function saidIn({ data }: LogLine): ForeignLog | undefined {
  const said = isPlainObject(data) ? data['mcp/log'] : undefined
  if (!isPlainObject(said) || typeof said['level'] !== 'string') return undefined
  const { level, logger, data: told } = said as { level: string; logger?: unknown; data?: Json }
  return { level, logger: typeof logger === 'string' ? logger : undefined, data: told ?? null }
}
