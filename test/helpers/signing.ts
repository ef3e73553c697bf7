// A user with a signing key in a temporary folder, for tests of trust.
import { generateKeyPairSync, sign } from 'node:crypto'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { newKey } from '../../src/trust/keys.ts'
import { readPublicKey } from '../../src/trust/public-key.ts'
import { loadSigningKey, type SigningKey } from '../../src/trust/signing-key.ts'
import { TrustStore } from '../../src/trust/trust-store.ts'

const made: string[] = []

export function removeSigners(): void {
  for (const dir of made.splice(0)) rmSync(dir, { recursive: true, force: true })
}

export interface Signer {
  readonly dir: string
  readonly spaces: { readonly project: string; readonly userAi: string; readonly system: string }
  readonly store: TrustStore
  readonly key: SigningKey
  write(path: string, text: string | Uint8Array): string
}

/** A project, a user and a system folder; the user has made a key and trusts it. */
export function makeSigner(): Signer {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'toolcrib-trust-')))
  made.push(dir)
  const spaces = {
    project: join(dir, 'project'),
    userAi: join(dir, 'home', '.ai'),
    system: join(dir, 'system'),
  }
  for (const folder of Object.values(spaces)) mkdirSync(folder, { recursive: true })
  const store = new TrustStore(spaces)
  const folder = join(dir, 'signing')
  newKey(store, folder, 'Ada')
  return {
    dir,
    spaces,
    store,
    key: loadSigningKey(folder),
    write: (path, text) => {
      const file = join(dir, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, text)
      return file
    },
  }
}

/** A key nobody has stored. */
export function strangerKey(): SigningKey {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  return { ...readPublicKey(publicKey.export({ type: 'spki', format: 'pem' }).toString()), privateKey }
}

/** A payload made by hand, for files that signing would not write. */
export function payload(
  key: SigningKey,
  hash: string,
  options: { tag?: string; long?: boolean } = {},
): string {
  const bytes = sign(null, Buffer.from(hash, 'ascii'), key.privateKey)
  const { tag = 'rye', long = false } = options
  return `${tag}:signed:2026-01-02T03:04:05Z:${hash}:${bytes.toString(long ? 'base64' : 'base64url')}:${long ? key.longId : key.keyId}`
}
