// One file against the known keys: unsigned, modified, untrusted, bad, trusted, in that order.
import { verify } from 'node:crypto'
import type { Tier, Trust } from '../tool/tool.ts'
import type { PublicKey } from './public-key.ts'
import { commentPrefix, type FoundSignature, findSignature, parseDetached } from './signature-line.ts'
import { coveredHash, hasStrayReturn } from './signed-body.ts'

export interface KnownKey extends PublicKey {
  readonly owner: string
  readonly tier: Tier
}

export type FindKey = (keyId: string) => KnownKey | { readonly refused: string } | undefined

export interface Verification extends Trust {
  /** The finer verdict: `modified` (hash differs) and `bad` (signature invalid) are both `tampered`. */
  readonly verdict: 'unsigned' | 'modified' | 'untrusted' | 'bad' | 'trusted'
  readonly keyTier?: Tier
  /** A line that looks like a signature and is none. */
  readonly warning?: { readonly code: 'signature-malformed' | 'signature-misplaced'; readonly line: number }
}

/** Judges text by its own signature line or, where the extension has no comments, by its detached signature. */
export function verifyText(
  file: string,
  text: string,
  detached: string | null,
  findKey: FindKey,
): Verification {
  const isDetached = commentPrefix(file) === null
  const found: FoundSignature = isDetached
    ? detached === null
      ? { kind: 'none' }
      : parseDetached(detached)
    : findSignature(file, text)
  if (found.kind !== 'found') return unsigned(found)
  const { signature } = found
  const facts = { keyId: signature.keyId, signedAt: signature.signedAt }
  if (coveredHash(text, found, isDetached) !== signature.hash)
    return { status: 'tampered', verdict: 'modified', ...facts, reason: 'the content is not what was signed' }
  if (hasStrayReturn(file, text))
    return {
      status: 'tampered',
      verdict: 'modified',
      ...facts,
      reason: 'a carriage return stands inside a line, which a shell reads differently from what was signed',
    }
  const key = findKey(signature.keyId)
  if (!key || 'refused' in key)
    return {
      status: 'untrusted',
      verdict: 'untrusted',
      ...facts,
      reason: key?.refused ?? `key ${signature.keyId} is unknown`,
    }
  const known = { ...facts, owner: key.owner, keyTier: key.tier }
  if (!verify(null, Buffer.from(signature.hash, 'ascii'), key.key, signature.bytes))
    return {
      status: 'tampered',
      verdict: 'bad',
      ...known,
      reason: `the signature was not made by key ${signature.keyId}`,
    }
  return { status: 'trusted', verdict: 'trusted', ...known }
}

function unsigned(found: Exclude<FoundSignature, { kind: 'found' }>): Verification {
  if (found.kind === 'none')
    return { status: 'unsigned', verdict: 'unsigned', reason: 'it carries no signature' }
  const reason =
    found.kind === 'malformed'
      ? `line ${found.line} looks like a signature but is not one`
      : `the signature stands on line ${found.line}; it must be the first line, or the second after #!`
  return {
    status: 'unsigned',
    verdict: 'unsigned',
    reason,
    warning: { code: `signature-${found.kind}`, line: found.line },
  }
}
