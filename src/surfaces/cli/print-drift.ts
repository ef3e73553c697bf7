// Differences as people read them: tool by tool, the riskiest first, what it was and what it is.
import type { Json } from '../../tool/json.ts'
import type { DriftEntry } from '../../trust/lock/lock.ts'
import type { Session } from './session.ts'
import { outStyle, plain } from './style.ts'

const colours = { high: outStyle.red, medium: outStyle.yellow, low: outStyle.dim }

export function printDrift(session: Session, entries: readonly DriftEntry[]): void {
  let last = ''
  for (const { tool, risk, what, field, before, after, diff } of entries) {
    if (tool !== last) session.out(outStyle.bold(plain(tool)))
    last = tool
    session.out(`  ${colours[risk](risk.padEnd(6))}  ${plain(what)}`)
    if (diff !== undefined) {
      for (const line of diff.trimEnd().split('\n')) session.out(`          ${coloured(line)}`)
      continue
    }
    if (before !== null) session.out(`          ${outStyle.red(`- ${shown(field, before)}`)}`)
    if (after !== null) session.out(`          ${outStyle.green(`+ ${shown(field, after)}`)}`)
  }
}

function coloured(line: string): string {
  const text = plain(line)
  if (/^\+(?!\+\+)/.test(line)) return outStyle.green(text)
  return /^-(?!--)/.test(line) ? outStyle.red(text) : outStyle.dim(text)
}

function shown(field: string, value: Json): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const cut = field.startsWith('file ') ? 16 : 400
  const one = plain(text.replace(/\r?\n/g, '⏎'))
  return one.length > cut ? `${one.slice(0, cut)}…` : one
}
