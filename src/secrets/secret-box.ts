// Seals and opens values: AES-256-GCM with a fresh nonce, bound to the row a value stands in, so that a stored value
// moved to another row does not open.
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import type { SecretRow } from '../store/store.ts'
import { ToolError } from '../tool/tool-error.ts'
import { parseKey, readKeyFile } from './key-file.ts'

export interface KeyPlace {
  /** Where the key lies; made on first use unless `isConfigured`. */
  readonly keyFile: string
  /** The operator named the key file: it must be there. */
  readonly isConfigured?: boolean
  /** 32 bytes as base64 or hex, instead of a file. */
  readonly keyText?: string | undefined
}

export type BoundRow = Pick<SecretRow, 'id' | 'owner' | 'name' | 'scopeType' | 'scopeId'>

export class SecretBox {
  readonly #place: KeyPlace
  #key: Buffer | null = null

  constructor(place: KeyPlace) {
    this.#place = place
  }

  seal(value: string, row: BoundRow): string {
    const key = this.#keyBytes(true)
    const nonce = randomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', key, nonce)
    cipher.setAAD(bindingOf(row))
    const text = Buffer.concat([cipher.update(value, 'utf8'), cipher.final()])
    return [
      'v1',
      fingerprint(key),
      ...[nonce, cipher.getAuthTag(), text].map((part) => part.toString('base64')),
    ].join('.')
  }

  open(row: SecretRow): string {
    const key = this.#keyBytes(false)
    const [, print, nonce = '', tag = '', text = ''] = row.sealed.split('.')
    try {
      const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(nonce, 'base64'), {
        authTagLength: 16,
      })
      decipher.setAAD(bindingOf(row))
      decipher.setAuthTag(Buffer.from(tag, 'base64'))
      return Buffer.concat([decipher.update(Buffer.from(text, 'base64')), decipher.final()]).toString('utf8')
    } catch (error) {
      throw unreadable(row.name, print !== fingerprint(key), error)
    }
  }

  #keyBytes(mayMake: boolean): Buffer {
    const { keyText, keyFile, isConfigured } = this.#place
    this.#key ??= keyText
      ? parseKey(keyText, 'the environment')
      : readKeyFile(keyFile, mayMake && !isConfigured)
    return this.#key
  }
}

function bindingOf(row: BoundRow): Buffer {
  return Buffer.from(JSON.stringify([row.id, row.owner, row.name, row.scopeType, row.scopeId]))
}

/** A fingerprint of the key goes with the value, to tell a wrong key from a damaged row. */
function fingerprint(key: Buffer): string {
  return createHash('sha256').update('toolcrib-secret-key\n').update(key).digest('hex').slice(0, 16)
}

function unreadable(name: string, isOtherKey: boolean, cause: unknown): ToolError {
  return new ToolError(
    'SECRET_UNREADABLE',
    isOtherKey
      ? `Secret ${name} was sealed with another key.`
      : `Secret ${name} was changed in the store and does not open.`,
    {
      hint: isOtherKey
        ? 'Put the right key file back, or set the secret again with `toolcrib secrets set`.'
        : 'Set the secret again with `toolcrib secrets set`.',
      cause,
    },
  )
}
