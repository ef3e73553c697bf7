// The commands on keys: make one, list them, trust and untrust, export.

import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { writeAtomic } from '../files/write-atomic.ts'
import type { Static } from '../tool/shape.ts'
import { messageOf, ToolError } from '../tool/tool-error.ts'
import { type PublicKey, readPublicKey } from './public-key.ts'
import { createSigningKey, loadSigningKey } from './signing-key.ts'
import { parseTrustFile, trustFileText } from './trust-file.ts'
import type { keyShape } from './trust-shapes.ts'
import { decode, type TrustStore } from './trust-store.ts'

export interface KeyEntry extends Static<typeof keyShape> {}

/** Makes the signing key and trusts it in the user's tier. */
export function newKey(store: TrustStore, signingFolder: string, owner: string): KeyEntry {
  const key = createSigningKey(signingFolder)
  writeTrustFile(store, key, owner)
  return entryOf(store, key.keyId, key.keyId)
}

/** Every key of the three tiers, those that do not count included. */
export function listKeys(store: TrustStore, signingFolder: string): KeyEntry[] {
  const own = ownKeyId(signingFolder)
  const trusted = store.keys.map((key) => ({
    keyId: key.keyId,
    longId: key.longId,
    owner: key.owner,
    tier: key.tier,
    file: key.file,
    isSigningKey: key.keyId === own,
    isTrusted: true,
  }))
  const refused = store.refused.map((entry) => ({
    keyId: entry.keyId ?? '',
    longId: '',
    owner: '',
    tier: entry.tier,
    file: entry.file,
    isSigningKey: false,
    isTrusted: false,
    reason: entry.reason,
  }))
  return [...trusted, ...refused]
}

/** Trusts a key given as PEM text, a PEM file, or a trust file; kept in the user's tier. */
export function trustKey(store: TrustStore, given: string, owner?: string): KeyEntry {
  const { key, owner: stated } = readGivenKey(given)
  writeTrustFile(store, key, owner ?? stated)
  return entryOf(store, key.keyId, undefined)
}

/** Takes a key out of the user's tier; KEY_NOT_FOUND when it is not there. */
export function untrustKey(store: TrustStore, id: string): { readonly keyId: string; readonly file: string } {
  const found = store.keys.find((key) => key.tier === 'user' && (key.keyId === id || key.longId === id))
  if (!found) {
    const known = store.keys.filter((key) => key.tier === 'user').map((key) => key.keyId)
    throw new ToolError('KEY_NOT_FOUND', `You do not trust a key ${id}.`, {
      hint: known.length > 0 ? `You trust ${known.join(', ')}.` : 'You trust no key yet.',
    })
  }
  for (const name of [found.keyId, found.longId])
    rmSync(join(store.userFolder, `${name}.toml`), { force: true })
  store.forget()
  return { keyId: found.keyId, file: found.file }
}

/** The public half of the signing key, or a trusted key, as PEM text. */
export function exportKey(store: TrustStore, signingFolder: string, id?: string): PublicKey {
  if (id === undefined) return loadSigningKey(signingFolder)
  const found = store.keys.find((key) => key.keyId === id || key.longId === id)
  if (found) return found
  throw new ToolError('KEY_NOT_FOUND', `There is no key ${id}.`, { hint: 'See `toolcrib keys list`.' })
}

function readGivenKey(given: string): { key: PublicKey; owner: string } {
  try {
    if (given.includes('-----BEGIN')) return { key: readPublicKey(given), owner: '' }
    if (!existsSync(given)) throw new Error('there is no such file')
    const text = decode(readFileSync(given)) ?? ''
    if (!given.endsWith('.toml')) return { key: readPublicKey(text), owner: '' }
    const parsed = parseTrustFile(given, text)
    if ('refused' in parsed) throw new Error(parsed.refused)
    return { key: parsed, owner: parsed.owner }
  } catch (error) {
    throw new ToolError(
      'CONFIG_INVALID',
      `${given.includes('\n') ? 'The text' : given} is no key to trust: ${messageOf(error)}.`,
      {
        hint: 'Give an Ed25519 public key in PEM form, a file with one, or a trust file.',
      },
    )
  }
}

function writeTrustFile(store: TrustStore, key: PublicKey, owner: string): void {
  mkdirSync(store.userFolder, { recursive: true, mode: 0o700 })
  writeAtomic(join(store.userFolder, `${key.keyId}.toml`), trustFileText(key, owner), 0o644)
  store.forget()
}

function entryOf(store: TrustStore, keyId: string, own: string | undefined): KeyEntry {
  const { pem: _, key: __, ...found } = store.keys.find((key) => key.keyId === keyId)!
  return { ...found, isSigningKey: keyId === own, isTrusted: true }
}

function ownKeyId(folder: string): string | undefined {
  try {
    return loadSigningKey(folder).keyId
  } catch {
    return undefined
  }
}
