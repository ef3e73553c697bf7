// What a person at the terminal should hear of runs nobody waits for: those that failed or warn.
import type { Call } from '../../kernel/call.ts'
import { isPlainObject } from '../../tool/json.ts'
import { errorData } from '../../tool/tool-error.ts'
import { plain } from './style.ts'

const maxLines = 3

function isFromGuard(data: unknown): boolean {
  return isPlainObject(data) && 'guard' in data
}

/** Lines about a run an event set going; none when all went well, or when somebody asked for it and was told. */
export function unattendedNotes(call: Call): string[] {
  if (call.principal.surface !== 'event' || call.isAborted) return []
  const text = (message: string): string => plain(call.scrubber.text(message))
  if (call.error !== undefined) {
    const { code, message } = errorData(call.error)
    return [`error: ${call.tool.id} failed: ${code}: ${text(message)}  (toolcrib runs show ${call.id})`]
  }
  return (
    call.logs
      // What a guard says is the same at every run; `show` and `verify` tell it to whoever asks.
      .filter(({ level, data }) => (level === 'warn' || level === 'error') && !isFromGuard(data))
      .slice(-maxLines)
      .map(({ level, message }) => `${level}: ${call.tool.id}: ${text(message)}`)
  )
}
