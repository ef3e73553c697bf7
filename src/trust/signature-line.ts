// The signature line of a file: how it is written for each extension, where it may stand, and what it says. A line
// that could carry anything besides the signature is no signature: what it carried would be signed by nobody.
import { extname } from 'node:path'

export interface Signature {
  /** As written; informational, not signed. */
  readonly signedAt: string
  readonly hash: string
  readonly bytes: Uint8Array
  readonly keyId: string
  /** `text`: LF-normalised body without shebang; `bytes`: the raw bytes after the line. */
  readonly dialect: 'text' | 'bytes'
  /** `provider@user`; shown, not signed. */
  readonly vouched?: string
}

export type FoundSignature =
  | { readonly kind: 'found'; readonly signature: Signature; readonly line: number }
  | { readonly kind: 'none' }
  | { readonly kind: 'malformed' | 'misplaced'; readonly line: number }

const payload =
  /^(rye|ryeos):signed:(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ):([0-9a-f]{64}):([A-Za-z0-9_+/-]+={0,2}):([0-9a-f]{64}|[0-9a-f]{16})(?:\|([A-Za-z0-9_-]+@[A-Za-z0-9_-]+))?[ \t]*$/
const looksSigned = /^\s*(?:#|\/\/|<!--)?\s*(?:rye|ryeos):signed:/
const replaced = /^\s*(?:#|\/\/|<!--)\s*(?:(?:rye|ryeos):signed:|rye:validated\b|kiwi-mcp:)/
const searchedLines = 10

const prefixes: { readonly [extension: string]: string } = {
  '.py': '#',
  '.yaml': '#',
  '.yml': '#',
  '.sh': '#',
  '.toml': '#',
  '.js': '//',
  '.ts': '//',
  '.mjs': '//',
  '.cjs': '//',
  '.md': '<!--',
}

/** The comment that opens a signature line in such a file; null: the signature is a file of its own. */
export function commentPrefix(file: string): string | null {
  return prefixes[extname(file).toLowerCase()] ?? null
}

/** The signature a file carries in itself. */
export function findSignature(file: string, text: string): FoundSignature {
  const prefix = commentPrefix(file)
  if (!prefix) return { kind: 'none' }
  const lines = firstLines(text)
  const place = isShebang(lines[0] ?? '') ? 1 : 0
  for (const [index, line] of lines.entries()) {
    if (!looksSigned.test(line)) continue
    if (index !== place && index !== 0) return { kind: 'misplaced', line: index + 1 }
    const signature = parsePayload(unwrapped(line, prefix))
    return signature ? { kind: 'found', signature, line: index + 1 } : { kind: 'malformed', line: index + 1 }
  }
  return { kind: 'none' }
}

/** The signature a `.sig` file holds. */
export function parseDetached(text: string): FoundSignature {
  const signature = parsePayload(text.replace(/\r?\n$/, ''))
  return signature ? { kind: 'found', signature, line: 1 } : { kind: 'malformed', line: 1 }
}

/** The line as it is written into a file of this kind. */
export function signatureLine(prefix: string, content: string): string {
  return prefix === '<!--' ? `<!-- ${content} -->` : `${prefix} ${content}`
}

/** True for a line that signing takes out before it writes its own. */
export function isReplacedLine(line: string): boolean {
  return replaced.test(line)
}

/** True for `#!/…` on one line for every language; a line separator inside would start code that nobody signed. */
export function isShebang(line: string): boolean {
  return line.startsWith('#!/') && !/[\u2028\u2029]/.test(line)
}

function unwrapped(line: string, prefix: string): string {
  if (!line.startsWith(`${prefix} `)) return ''
  const content = line.slice(prefix.length + 1)
  if (prefix !== '<!--') return content
  const end = /^(.*?) ?-->[ \t]*$/.exec(content)
  return end ? end[1]! : ''
}

function parsePayload(content: string): Signature | null {
  const match = payload.exec(content)
  if (!match) return null
  const [, tag, signedAt, hash, encoded, keyId, vouched] = match
  const dialect = keyId!.length === 64 ? 'bytes' : 'text'
  if (dialect === 'text' && (tag !== 'rye' || /[+/]/.test(encoded!))) return null
  const bytes = decode(encoded!)
  if (!bytes) return null
  return { signedAt: signedAt!, hash: hash!, bytes, keyId: keyId!, dialect, ...(vouched ? { vouched } : {}) }
}

/** 64 bytes, spelled in the one way they can be: no second spelling of a signature passes. */
function decode(encoded: string): Uint8Array | null {
  const bare = encoded.replace(/=+$/, '').replaceAll('+', '-').replaceAll('/', '_')
  const bytes = Buffer.from(bare, 'base64url')
  return bytes.length === 64 && bytes.toString('base64url') === bare ? bytes : null
}

function firstLines(text: string): string[] {
  const lines: string[] = []
  let at = 0
  while (lines.length < searchedLines && at <= text.length) {
    const end = lineEndAt(text, at)
    lines.push(text.slice(at, end.from))
    if (end.to === end.from) break
    at = end.to
  }
  return lines
}

/** Where the line that starts at `at` ends, and where the next begins. */
export function lineEndAt(text: string, at: number): { readonly from: number; readonly to: number } {
  for (let i = at; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === 10) return { from: i, to: i + 1 }
    if (code === 13) return { from: i, to: text.charCodeAt(i + 1) === 10 ? i + 2 : i + 1 }
  }
  return { from: text.length, to: text.length }
}
