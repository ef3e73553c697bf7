// The parts of a format string: plain text, and fields with an expression in them.

import { pythonString } from '../../../formats/rye/python-string.ts'
import { endOfField } from '../../../formats/rye/python-strings.ts'
import { PythonSyntaxFault } from './python-tokens.ts'

export type FormatPart =
  | { readonly text: string }
  /** An expression and what lays it out, without the braces. */
  | { readonly from: number; readonly to: number }

/** The parts of the text between two offsets. */
export function fieldsOf(text: string, from: number, to: number, isRaw: boolean): FormatPart[] {
  const parts: FormatPart[] = []
  let start = from
  const plain = (end: number) => {
    if (end <= start) return
    const raw = text.slice(start, end).replaceAll('{{', '{').replaceAll('}}', '}')
    const value = raw.includes('\\') && !isRaw ? (pythonString(`"""${raw} """`)?.slice(0, -1) ?? raw) : raw
    parts.push({ text: value })
  }
  for (let at = from; at < to; at++) {
    if (text[at] === '\\' && !isRaw) at += text.startsWith('N{', at + 1) ? text.slice(at, to).indexOf('}') : 0
    else if (text[at] === '{' && text[at + 1] === '{') at++
    else if (text[at] === '{') {
      // The string's own quotes stand outside of what is looked at.
      const end = endOfField(text, at + 1, { mark: '"""', isRaw, nested: 0 })
      if (end === -1 || end > to) throw new PythonSyntaxFault(at)
      plain(at)
      parts.push({ from: at + 1, to: end - 1 })
      start = end
      at = end - 1
    }
  }
  plain(to)
  return parts
}
