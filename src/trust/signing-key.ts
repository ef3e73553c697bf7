// The user's own signing key. It is made on request only, never silently.
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ToolError } from '../tool/tool-error.ts'
import { type PublicKey, readPublicKey } from './public-key.ts'

export interface SigningKey extends PublicKey {
  readonly privateKey: KeyObject
}

/** Where the key is kept: `$RYE_SIGNING_KEY_DIR`, else the user's `.ai/config/keys/signing/`. */
export function signingFolder(userAi: string, env: NodeJS.ProcessEnv = process.env): string {
  return env['RYE_SIGNING_KEY_DIR'] || join(userAi, 'config', 'keys', 'signing')
}

/** Reads the key; SECRET_MISSING says how to make one. */
export function loadSigningKey(folder: string): SigningKey {
  const file = join(folder, 'private_key.pem')
  if (!existsSync(file))
    throw new ToolError('SECRET_MISSING', `There is no signing key in ${folder}.`, {
      hint: 'Make one with `toolcrib keys new`.',
    })
  let privateKey: KeyObject
  try {
    privateKey = createPrivateKey(readFileSync(file))
  } catch (error) {
    throw new ToolError('SECRET_UNREADABLE', `${file} is not a private key in PEM form.`, {
      hint: 'Restore it, or move it away and make a new one with `toolcrib keys new`.',
      cause: error,
    })
  }
  if (privateKey.asymmetricKeyType !== 'ed25519')
    throw new ToolError(
      'SECRET_UNREADABLE',
      `${file} is an ${privateKey.asymmetricKeyType} key; an Ed25519 key is needed.`,
    )
  return { ...publicHalf(privateKey), privateKey }
}

/** Makes a key pair; CONFLICT when there is one already. */
export function createSigningKey(folder: string): SigningKey {
  const file = join(folder, 'private_key.pem')
  if (existsSync(file))
    throw new ToolError('CONFLICT', `There is a signing key in ${folder} already.`, {
      hint: 'Move it away first if you want a new one; files signed with it stay valid.',
    })
  const { privateKey } = generateKeyPairSync('ed25519')
  const key = publicHalf(privateKey)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  chmodSync(folder, 0o700)
  writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600, flag: 'wx' })
  writeFileSync(join(folder, 'public_key.pem'), key.pem, { mode: 0o644 })
  return { ...key, privateKey }
}

function publicHalf(privateKey: KeyObject): PublicKey {
  return readPublicKey(createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString())
}
