// The keys a user trusts, from the three tiers, and the verdict on files by them. Keys are loaded once and again
// when a key folder changed; verdicts are kept until a file changes.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Spaces } from '../config/spaces.ts'
import { statIfThere } from '../files/stat-if-there.ts'
import { sha256 } from '../tool/json.ts'
import type { Tier } from '../tool/tool.ts'
import { messageOf } from '../tool/tool-error.ts'
import { commentPrefix, findSignature } from './signature-line.ts'
import { parseTrustFile, type TrustFile } from './trust-file.ts'
import { type KnownKey, type Verification, verifyText } from './verification.ts'

export interface StoredKey extends KnownKey {
  readonly file: string
}

export interface RefusedKey {
  readonly file: string
  readonly tier: Tier
  readonly reason: string
  readonly keyId?: string
}

interface Candidate {
  readonly tier: Tier
  readonly parsed: TrustFile
  readonly text: string
}

interface LoadedKeys {
  readonly stamp: string
  readonly keys: readonly StoredKey[]
  readonly refused: readonly RefusedKey[]
}

/** A verdict, and the SHA-256 of the bytes it was passed on; empty when they could not be read. */
export interface JudgedBytes {
  readonly verification: Verification
  readonly digest: string
}

interface KnownVerdict extends JudgedBytes {
  /** Of the file and its signature. */
  readonly stamp: string
  readonly detachedFile: string | null
}

const tiers: readonly Tier[] = ['project', 'user', 'system']

export class TrustStore {
  readonly #folders: { readonly [tier in Tier]: string }
  readonly #verdicts = new Map<string, KnownVerdict>()
  #loaded: LoadedKeys | null = null
  #lookedAt = 0
  #byId = new Map<string, StoredKey>()

  constructor(spaces: Pick<Spaces, 'project' | 'userAi' | 'system'>) {
    this.#folders = {
      project: join(spaces.project, '.ai', 'config', 'keys', 'trusted'),
      user: trustedFolder(spaces.userAi),
      system: trustedFolder(spaces.system),
    }
  }

  /** Keys that count, by precedence of their tiers. */
  get keys(): readonly StoredKey[] {
    return this.#load().keys
  }

  /** Trust files that do not count, and why. */
  get refused(): readonly RefusedKey[] {
    return this.#load().refused
  }

  /** Changes when a key was added or taken away. */
  get stamp(): string {
    return this.#load().stamp
  }

  /** Called after this process changed a key folder: the next question reads the keys anew. */
  forget(): void {
    this.#loaded = null
  }

  /** Where the user's trusted keys are kept. */
  get userFolder(): string {
    return this.#folders.user
  }

  /** Judges text that was read already. The detached signature is needed for files without comments only. */
  verifyText(file: string, text: string, detached: string | null = null): Verification {
    this.#load()
    return verifyText(file, text, detached, (keyId) => this.#find(keyId))
  }

  /** Judges a file on disk; the verdict is kept while file, signature and keys stay as they are. */
  judgeFile(file: string): Verification {
    return this.judgeBytes(file).verification
  }

  /** The verdict together with what tells the judged bytes from any others. */
  judgeBytes(file: string): JudgedBytes {
    const known = this.#verdicts.get(file)
    const detachedFile = known ? known.detachedFile : detachedFor(file)
    const stamp = `${stampOf(file)} ${detachedFile ? stampOf(detachedFile) : ''}`
    // Without a signature no key can change the verdict, so the key folders need not be looked at.
    if (known?.stamp === stamp && known.verification.status === 'unsigned') return known
    this.#load()
    if (this.#verdicts.get(file)?.stamp === stamp) return known!
    const judged = this.#read(file, detachedFile)
    if (isSettled(file)) this.#verdicts.set(file, { stamp, detachedFile, ...judged })
    else this.#verdicts.delete(file)
    return judged
  }

  #read(file: string, detachedFile: string | null): JudgedBytes {
    try {
      const bytes = readFileSync(file)
      const digest = sha256(bytes)
      const text = decode(bytes)
      if (text === null)
        return { verification: invalid('it is not UTF-8 text, so it cannot be judged'), digest }
      const detached = detachedFile && existsSync(detachedFile) ? readFileSync(detachedFile, 'utf8') : null
      return { verification: this.verifyText(file, text, detached), digest }
    } catch (error) {
      return { verification: invalid(`it cannot be read: ${messageOf(error)}`), digest: '' }
    }
  }

  #find(keyId: string): StoredKey | { readonly refused: string } | undefined {
    const known = this.#byId.get(keyId)
    if (known) return known
    const refused = this.#loaded!.refused.find((entry) => entry.keyId === keyId)
    return refused && { refused: `key ${keyId} (${refused.file}) does not count: ${refused.reason}` }
  }

  /** The keys as they lie in their folders, which are looked at once a millisecond at most. */
  #load(): LoadedKeys {
    const now = Date.now()
    if (this.#loaded && now === this.#lookedAt) return this.#loaded
    this.#lookedAt = now
    const stamp = tiers.map((tier) => stampOf(this.#folders[tier])).join(' ')
    if (this.#loaded?.stamp === stamp) return this.#loaded
    this.#verdicts.clear()
    const { keys, refused } = acceptKeys(this.#folders)
    this.#byId = new Map()
    for (const key of keys) {
      for (const id of [key.keyId, key.longId]) if (!this.#byId.has(id)) this.#byId.set(id, key)
    }
    this.#loaded = { stamp, keys, refused }
    return this.#loaded
  }
}

function invalid(reason: string): Verification {
  return { status: 'invalid', verdict: 'unsigned', reason }
}

function trustedFolder(ai: string): string {
  return join(ai, 'config', 'keys', 'trusted')
}

/** Strictly decoded, the byte order mark kept: two different files never give the same text. */
export function decode(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
}

/** Where the signature of a file without comments stands; null for those that hold their own. */
function detachedFor(file: string): string | null {
  return commentPrefix(file) === null ? `${file}.sig` : null
}

/** A folder that may not be entered, or is none, holds no key that counts. */
function stampOf(path: string): string {
  const stat = statIfThere(path)
  return stat ? `${stat.ino}:${stat.size}:${stat.mtimeMs}:${stat.ctimeMs}` : '-'
}

/** A file changed just now may change again within one tick of the clock and keep its stamp. */
function isSettled(file: string): boolean {
  const stat = statIfThere(file)
  return stat !== undefined && Date.now() - Math.max(stat.ctimeMs, stat.mtimeMs) > 100
}

function acceptKeys(folders: { readonly [tier in Tier]: string }): {
  keys: StoredKey[]
  refused: RefusedKey[]
} {
  const refused: RefusedKey[] = []
  const candidates = tiers.flatMap((tier) => readFolder(folders[tier], tier, refused))
  const vouched = acceptSigned(candidates, refused)
  const keys: StoredKey[] = []
  for (const { tier, parsed } of vouched) {
    const isOwn =
      tier !== 'project' ||
      vouched.some((other) => other.tier !== 'project' && other.parsed.longId === parsed.longId)
    if (isOwn) keys.push({ ...parsed, tier })
    else
      refused.push({
        file: parsed.file,
        tier,
        keyId: parsed.keyId,
        reason: `the project offers it, and you have not accepted it; do so with \`toolcrib keys trust ${parsed.file}\``,
      })
  }
  return { keys, refused }
}

function readFolder(folder: string, tier: Tier, refused: RefusedKey[]): Candidate[] {
  let names: string[] = []
  try {
    names = readdirSync(folder).filter((name) => name.endsWith('.toml'))
  } catch {
    return []
  }
  return names.sort().flatMap((name) => {
    const file = join(folder, name)
    try {
      const text = decode(readFileSync(file)) ?? ''
      const parsed = parseTrustFile(file, text)
      if (!('refused' in parsed)) return [{ tier, parsed, text }]
      refused.push({ file, tier, reason: parsed.refused })
    } catch (error) {
      refused.push({ file, tier, reason: messageOf(error) })
    }
    return []
  })
}

/** Unsigned files count; signed ones once they verify by their own key or by one that counts already. */
function acceptSigned(candidates: readonly Candidate[], refused: RefusedKey[]): Candidate[] {
  const accepted = new Set<Candidate>()
  for (let grew = true; grew; ) {
    grew = false
    for (const candidate of candidates) {
      if (accepted.has(candidate) || !counts(candidate, accepted)) continue
      accepted.add(candidate)
      grew = true
    }
  }
  for (const { parsed, tier } of candidates.filter((candidate) => !accepted.has(candidate)))
    refused.push({
      file: parsed.file,
      tier,
      keyId: parsed.keyId,
      reason: 'its own signature does not verify',
    })
  return candidates.filter((candidate) => accepted.has(candidate))
}

function counts({ parsed, text, tier }: Candidate, accepted: ReadonlySet<Candidate>): boolean {
  if (findSignature(parsed.file, text).kind === 'none') return true
  const keys = [{ parsed, tier }, ...accepted]
  const found = (keyId: string): KnownKey | undefined => {
    const key = keys.find((entry) => entry.parsed.keyId === keyId || entry.parsed.longId === keyId)
    return key && { ...key.parsed, tier: key.tier }
  }
  return verifyText(parsed.file, text, null, found).status === 'trusted'
}
