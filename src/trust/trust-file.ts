// A trust file: one public key somebody vouches for, as TOML named after the key.
import { basename } from 'node:path'
import { isPlainObject } from '../tool/json.ts'
import { lazyModule } from '../tool/lazy-module.ts'
import { messageOf } from '../tool/tool-error.ts'
import { type PublicKey, readPublicKey } from './public-key.ts'

const toml = lazyModule<typeof import('smol-toml')>('smol-toml')

export interface TrustFile extends PublicKey {
  readonly file: string
  readonly owner: string
}

/** Reads a trust file; the reason when it is not acceptable. */
export function parseTrustFile(file: string, text: string): TrustFile | { readonly refused: string } {
  let parsed: Record<string, unknown>
  try {
    parsed = toml().parse(text)
  } catch (error) {
    return { refused: messageOf(error).split('\n')[0]! }
  }
  const { category, fingerprint, owner, public_key: holder } = parsed
  if (category !== undefined && category !== 'keys/trusted')
    return { refused: `its category is ${JSON.stringify(category)}` }
  const pem = isPlainObject(holder) ? holder['pem'] : undefined
  if (typeof pem !== 'string') return { refused: 'it has no [public_key] pem' }
  let key: PublicKey
  try {
    key = readPublicKey(pem)
  } catch (error) {
    return { refused: messageOf(error) }
  }
  const name = basename(file, '.toml')
  const ids = [key.keyId, key.longId]
  if (!ids.includes(name)) return { refused: `its name is not the id of its key, ${key.keyId}` }
  if (typeof fingerprint !== 'string' || !ids.includes(fingerprint))
    return { refused: `its fingerprint is not the id of its key, ${key.keyId}` }
  return { ...key, file, owner: typeof owner === 'string' ? owner : '' }
}

/** The text of an unsigned trust file. */
export function trustFileText(key: PublicKey, owner: string): string {
  return [
    'version = "1.0.0"',
    'category = "keys/trusted"',
    `fingerprint = "${key.keyId}"`,
    `owner = ${JSON.stringify(owner)}`,
    '',
    '[public_key]',
    `pem = """\n${key.pem}"""`,
    '',
  ].join('\n')
}
