// What a signature covers.
import { sha256 } from '../tool/json.ts'
import { type FoundSignature, isShebang, lineEndAt } from './signature-line.ts'

/**
 * True when a carriage return stands inside a line of a shell script. Every other language ends the line there, as
 * the signed body does; a shell does not, so that one changed byte would turn a command into part of a comment.
 */
export function hasStrayReturn(file: string, text: string): boolean {
  return file.toLowerCase().endsWith('.sh') && /\r(?!\n)/.test(text)
}

/** Text with every line end as LF. */
function withLf(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text
}

/** The text without its line `line` (counted from 1); 0 takes none out. */
function withoutLine(text: string, line: number): string {
  if (line === 0) return text
  let at = 0
  for (let i = 1; i < line; i++) at = lineEndAt(text, at).to
  return text.slice(0, at) + text.slice(lineEndAt(text, at).to)
}

/** The text without a leading `#!/…` line, which is not signed. */
function withoutShebang(text: string): string {
  const end = lineEndAt(text, 0)
  return isShebang(text.slice(0, end.from)) ? text.slice(end.to) : text
}

/** Hex SHA-256 of what this signature covers; `line` 0 for a detached one. */
export function coveredHash(
  text: string,
  found: FoundSignature & { readonly kind: 'found' },
  isDetached: boolean,
): string {
  const line = isDetached ? 0 : found.line
  if (found.signature.dialect === 'bytes') {
    let at = 0
    for (let i = 0; i < line; i++) at = lineEndAt(text, at).to
    return sha256(text.slice(at))
  }
  return textHash(text, line)
}

/** Hex SHA-256 of the body that Toolcrib signs. */
export function textHash(text: string, signatureLine: number): string {
  return sha256(withoutShebang(withoutLine(withLf(text), signatureLine)))
}
