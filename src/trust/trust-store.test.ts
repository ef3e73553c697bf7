import { rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { makeSigner, removeSigners, type Signer, strangerKey } from '../../test/helpers/signing.ts'
import { verifies } from '../../test/helpers/verifies.ts'
import { exportKey, listKeys, newKey, trustKey, untrustKey } from './keys.ts'
import { signText } from './sign-file.ts'
import { createSigningKey, loadSigningKey, type SigningKey, signingFolder } from './signing-key.ts'
import { trustFileText } from './trust-file.ts'
import { TrustStore } from './trust-store.ts'

afterAll(removeSigners)
afterEach(() => {
  delete process.env['RYE_SIGNING_KEY_DIR']
})

const at = '2026-01-02T03:04:05Z'

function offer(
  signer: Signer,
  where: 'project/.ai' | 'home/.ai' | 'system',
  key: SigningKey,
  text?: string,
): string {
  return signer.write(`${where}/config/keys/trusted/${key.keyId}.toml`, text ?? trustFileText(key, 'Grace'))
}

/** Whether a file signed with the key would count. */
function statusBy(signer: Signer, key: SigningKey): string {
  return new TrustStore(signer.spaces).verifyText('x.py', signText('x.py', 'a = 1\n', key, at)).status
}

describe('the trust store', () => {
  it.each(['home/.ai', 'system'] as const)('takes a key from %s and names owner and tier', (where) => {
    verifies('R75')
    const signer = makeSigner()
    const key = strangerKey()
    offer(signer, where, key)
    const verification = new TrustStore(signer.spaces).verifyText(
      'x.py',
      signText('x.py', 'a = 1\n', key, at),
    )
    expect(verification).toMatchObject({
      status: 'trusted',
      owner: 'Grace',
      keyTier: where === 'system' ? 'system' : 'user',
    })
  })

  it('counts a key of the project only after the user accepted it', () => {
    verifies('R75')
    const signer = makeSigner()
    const key = strangerKey()
    const file = offer(signer, 'project/.ai', key)
    expect(statusBy(signer, key)).toBe('untrusted')
    expect(signer.store.refused).toMatchObject([
      { keyId: key.keyId, reason: expect.stringContaining('keys trust') },
    ])
    trustKey(signer.store, file)
    expect(statusBy(signer, key)).toBe('trusted')
  })

  it('notices a new key without being opened again', () => {
    verifies('R75')
    const signer = makeSigner()
    const key = strangerKey()
    const text = signText('x.py', 'a = 1\n', key, at)
    expect(signer.store.verifyText('x.py', text).status).toBe('untrusted')
    trustKey(signer.store, key.pem, 'Grace')
    expect(signer.store.verifyText('x.py', text).status).toBe('trusted')
  })

  it.each([
    [
      'whose name is another id',
      (key: SigningKey) =>
        trustFileText(key, 'x').replace(/fingerprint = .*/, 'fingerprint = "0123456789abcdef"'),
    ],
    [
      'of another category',
      (key: SigningKey) => trustFileText(key, 'x').replace('keys/trusted', 'keys/other'),
    ],
    ['that is no TOML', () => 'fingerprint = '],
    ['without a key', (key: SigningKey) => `fingerprint = "${key.keyId}"`],
    ['with another key inside', () => trustFileText(strangerKey(), 'x')],
  ])('refuses a file %s', (_, text) => {
    verifies('R75')
    const signer = makeSigner()
    const key = strangerKey()
    offer(signer, 'home/.ai', key, text(key))
    expect(statusBy(signer, key)).toBe('untrusted')
  })

  it('accepts a signed trust file by its own key or by another that counts, and refuses a changed one', () => {
    verifies('R75')
    const signer = makeSigner()
    const self = strangerKey()
    const other = strangerKey()
    const changed = strangerKey()
    offer(signer, 'home/.ai', self, signText('k.toml', trustFileText(self, 'self'), self, at))
    offer(signer, 'home/.ai', other, signText('k.toml', trustFileText(other, 'other'), self, at))
    offer(
      signer,
      'home/.ai',
      changed,
      signText('k.toml', trustFileText(changed, 'a'), self, at).replace('"a"', '"b"'),
    )
    expect([self, other, changed].map((key) => statusBy(signer, key))).toEqual([
      'trusted',
      'trusted',
      'untrusted',
    ])
  })

  it('refuses two trust files that only vouch for each other', () => {
    verifies('R75')
    const signer = makeSigner()
    const [a, b] = [strangerKey(), strangerKey()]
    offer(signer, 'home/.ai', a, signText('k.toml', trustFileText(a, 'a'), b, at))
    offer(signer, 'home/.ai', b, signText('k.toml', trustFileText(b, 'b'), a, at))
    expect([a, b].map((key) => statusBy(signer, key))).toEqual(['untrusted', 'untrusted'])
  })

  it('reads a PEM with CRLF and blanks around it as the same key', () => {
    verifies('R75')
    const signer = makeSigner()
    const key = strangerKey()
    expect(trustKey(signer.store, `\n  ${key.pem.replaceAll('\n', '\r\n')}\r\n\r\n`).keyId).toBe(key.keyId)
  })
})

describe('the signing key', () => {
  it('is never made silently: without one, signing says how to make it', () => {
    verifies('R76')
    const signer = makeSigner()
    expect(() => loadSigningKey(join(signer.dir, 'none'))).toThrow(
      expect.objectContaining({ code: 'SECRET_MISSING', hint: expect.stringContaining('keys new') }),
    )
  })

  it('is made readable by its owner alone, once, and trusted', () => {
    verifies('R76')
    const signer = makeSigner()
    const folder = join(signer.dir, 'fresh')
    const made = newKey(signer.store, folder, 'Ada')
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    expect(statSync(join(folder, 'private_key.pem')).mode & 0o777).toBe(0o600)
    expect(made).toMatchObject({ isTrusted: true, isSigningKey: true, tier: 'user', owner: 'Ada' })
    expect(() => createSigningKey(folder)).toThrow(expect.objectContaining({ code: 'CONFLICT' }))
  })

  it('is looked for in $RYE_SIGNING_KEY_DIR first', () => {
    verifies('R76')
    expect(signingFolder('/home/ada/.ai', {})).toBe('/home/ada/.ai/config/keys/signing')
    expect(signingFolder('/home/ada/.ai', { RYE_SIGNING_KEY_DIR: '/keys' })).toBe('/keys')
  })
})

describe('the commands on keys', () => {
  it('list what counts and what does not, and export the public half', () => {
    verifies('R75', 'R76')
    const signer = makeSigner()
    const stranger = strangerKey()
    offer(signer, 'project/.ai', stranger)
    const folder = join(signer.dir, 'signing')
    expect(listKeys(signer.store, folder)).toMatchObject([
      { keyId: signer.key.keyId, isSigningKey: true, isTrusted: true },
      { keyId: stranger.keyId, isTrusted: false, tier: 'project' },
    ])
    expect(exportKey(signer.store, folder).pem).toBe(signer.key.pem)
  })

  it('untrust a key, and say which are trusted when it is not', () => {
    verifies('R75')
    const signer = makeSigner()
    untrustKey(signer.store, signer.key.keyId)
    expect(statusBy(signer, signer.key)).toBe('untrusted')
    expect(() => untrustKey(signer.store, signer.key.keyId)).toThrow(
      expect.objectContaining({ code: 'KEY_NOT_FOUND' }),
    )
  })

  it('refuse what is no Ed25519 key', () => {
    verifies('R75')
    const signer = makeSigner()
    const file = signer.write('x.pem', 'hello')
    for (const given of [file, '/nowhere.pem', '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----'])
      expect(() => trustKey(signer.store, given)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }))
    rmSync(file)
  })
})
