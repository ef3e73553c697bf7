// Signs a file in place: the old signature goes, the new one stands where it belongs, and nothing else changes.
import { sign } from 'node:crypto'
import { chmodSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { isReallyInside } from '../files/real-path.ts'
import { writeAtomic } from '../files/write-atomic.ts'
import type { Problem } from '../tool/problem.ts'
import { placeOf } from '../tool/problem.ts'
import { ToolError } from '../tool/tool-error.ts'
import { commentPrefix, isReplacedLine, isShebang, lineEndAt, signatureLine } from './signature-line.ts'
import { hasStrayReturn, textHash } from './signed-body.ts'
import type { SigningKey } from './signing-key.ts'
import { decode } from './trust-store.ts'

export interface SignOptions {
  readonly key: SigningKey
  /** Folder of the shipped files, which nobody signs. */
  readonly system: string
  /** The errors of the definition; any stops the signing. */
  validate?(file: string, text: string): readonly Problem[]
  readonly now?: () => Date
}

export interface SignedFile {
  readonly path: string
  readonly keyId: string
  readonly signedAt: string
  /** The file that holds the signature: the path itself, or `<path>.sig`. */
  readonly signatureFile: string
}

/** Signs one file; throws and leaves it untouched when it is invalid, shipped, or no text. */
export function signFile(path: string, options: SignOptions): SignedFile {
  // The link stays a link: what it leads to is signed.
  const real = realpathSync(path)
  if (isReallyInside(real, options.system))
    throw new ToolError('CONFLICT', `${path} ships with Toolcrib and is not signed.`, {
      hint: 'Copy it into your own .ai folder and sign the copy.',
    })
  const text = decode(readFileSync(real))
  if (text === null)
    throw new ToolError('TOOL_INVALID', `${path} is not UTF-8 text, so it cannot be signed.`, {
      hint: 'Save it as UTF-8.',
    })
  if (hasStrayReturn(path, text))
    throw new ToolError(
      'TOOL_INVALID',
      `${path} has a carriage return inside a line, so it cannot be signed.`,
      {
        hint: 'Save it with plain line ends.',
      },
    )
  const prefix = commentPrefix(real)
  if (prefix !== null && text.startsWith('\uFEFF'))
    throw new ToolError(
      'TOOL_INVALID',
      `${path} starts with a byte order mark, which a signature line would push into its middle.`,
      {
        hint: 'Save it as UTF-8 without a byte order mark.',
      },
    )
  const error = options.validate?.(path, text).find((problem) => problem.severity === 'error')
  if (error)
    throw new ToolError(
      'TOOL_INVALID',
      `${path} is not signed, because it is invalid: ${error.message} (${placeOf(error)})`,
      {
        hint: error.hint ?? 'Fix it and sign again.',
      },
    )
  const signedAt = (options.now?.() ?? new Date()).toISOString().replace(/\.\d+Z$/, 'Z')
  const mode = statSync(real).mode & 0o7777
  if (prefix === null) {
    const payload = payloadFor(textHash(text, 0), options.key, signedAt)
    writeAtomic(`${real}.sig`, `${payload}\n`, 0o644)
    return { path, keyId: options.key.keyId, signedAt, signatureFile: `${path}.sig` }
  }
  const signed = signText(real, text, options.key, signedAt)
  writeAtomic(real, signed, mode)
  chmodSync(real, mode)
  return { path, keyId: options.key.keyId, signedAt, signatureFile: path }
}

/** The text with a fresh signature line, line ends and shebang kept. */
export function signText(file: string, text: string, key: SigningKey, signedAt: string): string {
  const prefix = commentPrefix(file)!
  const bare = withoutOldSignature(text)
  const first = lineEndAt(bare, 0)
  const hasShebang = isShebang(bare.slice(0, first.from))
  const newline = first.to > first.from ? bare.slice(first.from, first.to) : '\n'
  const line = signatureLine(prefix, payloadFor(textHash(bare, 0), key, signedAt))
  if (!hasShebang) return `${line}${newline}${bare}`
  const head = first.to > first.from ? bare.slice(0, first.to) : `${bare}${newline}`
  return `${head}${line}${newline}${bare.slice(first.to)}`
}

function payloadFor(hash: string, key: SigningKey, signedAt: string): string {
  const signature = sign(null, Buffer.from(hash, 'ascii'), key.privateKey).toString('base64url')
  return `rye:signed:${signedAt}:${hash}:${signature}:${key.keyId}`
}

/** Takes out signature lines of this and older kinds from the first lines of a file. */
function withoutOldSignature(text: string): string {
  let kept = ''
  let at = 0
  for (let line = 0; line < 10 && at < text.length; line++) {
    const end = lineEndAt(text, at)
    if (!isReplacedLine(text.slice(at, end.from))) kept += text.slice(at, end.to)
    at = end.to
  }
  return kept + text.slice(at)
}
