// A public key and the two ids it goes by.
import { createPublicKey, type KeyObject } from 'node:crypto'
import { sha256 } from '../tool/json.ts'

export interface PublicKey {
  /** First 16 hex of the SHA-256 of the PEM text. */
  readonly keyId: string
  /** SHA-256 of the raw 32 bytes. */
  readonly longId: string
  readonly pem: string
  readonly key: KeyObject
}

/** Reads an Ed25519 SPKI PEM; throws when it is something else. */
export function readPublicKey(text: string): PublicKey {
  const pem = `${text.replace(/\r\n?/g, '\n').trim()}\n`
  if (!pem.startsWith('-----BEGIN PUBLIC KEY-----')) throw new Error('this is not a public key in PEM form')
  const key = createPublicKey(pem)
  if (key.asymmetricKeyType !== 'ed25519')
    throw new Error(`this is an ${key.asymmetricKeyType} key, not an Ed25519 key`)
  const raw = key.export({ type: 'spki', format: 'der' }).subarray(-32)
  return { keyId: sha256(pem).slice(0, 16), longId: sha256(raw), pem, key }
}
