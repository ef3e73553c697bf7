// Tokens made with `toolcrib tokens new`, kept as digests in `.toolcrib/tokens.json`. A running server looks at
// the file again when it changed, so that a token that was taken away stops working within a moment.
import { randomBytes } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../../config/make-folder.ts'
import type { Spaces } from '../../config/spaces.ts'
import { writeAtomic } from '../../files/write-atomic.ts'
import { isPlainObject, sha256 } from '../../tool/json.ts'
import { ToolError } from '../../tool/tool-error.ts'

export interface StoredToken {
  readonly name: string
  /** SHA-256 of the token, in hex. */
  readonly sha256: string
  readonly grants?: readonly string[]
  readonly allowedTools?: string
  /** Name of the offer it is for. */
  readonly offer?: string
  readonly admin?: boolean
  /** RFC 3339. */
  readonly createdAt: string
  readonly expiresAt?: string
}

export type TokenScope = Pick<StoredToken, 'grants' | 'allowedTools' | 'offer' | 'admin' | 'expiresAt'>

/** How often the file is looked at, at most. */
const lookMs = 100
const nameShape = /^[A-Za-z0-9][A-Za-z0-9_.@-]{0,63}$/

export class TokenStore {
  readonly #file: string
  readonly #folder: string
  #stamp = ''
  #lookedAt = Number.NEGATIVE_INFINITY
  #tokens: readonly StoredToken[] = []

  constructor(spaces: Spaces) {
    this.#folder = spaces.state
    this.#file = join(spaces.state, 'tokens.json')
  }

  /** All tokens, expired ones too; the file is read again only when it changed. */
  get tokens(): readonly StoredToken[] {
    const now = performance.now()
    if (now - this.#lookedAt < lookMs) return this.#tokens
    this.#lookedAt = now
    const stat = statSync(this.#file, { throwIfNoEntry: false })
    const stamp = stat ? `${stat.mtimeMs} ${stat.size} ${stat.ino}` : ''
    if (stamp !== this.#stamp) {
      this.#tokens = stat ? this.#read() : []
      this.#stamp = stamp
    }
    return this.#tokens
  }

  /** Makes a token and keeps its digest; the token itself is given back here and never again. */
  add(name: string, scope: TokenScope): { readonly token: string; readonly stored: StoredToken } {
    if (!nameShape.test(name) || name === 'operator')
      throw new ToolError('CONFIG_INVALID', `"${name}" is no name for a token.`, {
        hint: 'Use 1 to 64 letters, digits, "_", ".", "@" or "-", but not "operator".',
      })
    if (this.tokens.some((token) => token.name === name))
      throw new ToolError('CONFLICT', `There is a token "${name}" already.`, {
        hint: `Take it away first: \`toolcrib tokens rm ${name}\`.`,
      })
    const token = `tc_${randomBytes(24).toString('base64url')}`
    const stored: StoredToken = { name, sha256: sha256(token), ...scope, createdAt: new Date().toISOString() }
    this.#write([...this.tokens, stored])
    return { token, stored }
  }

  /** Takes a token away; throws TOKEN_NOT_FOUND when there is none. */
  remove(name: string): StoredToken {
    const gone = this.tokens.find((token) => token.name === name)
    if (!gone)
      throw new ToolError('TOKEN_NOT_FOUND', `There is no token "${name}".`, {
        hint: 'See `toolcrib tokens list`.',
      })
    this.#write(this.tokens.filter((token) => token !== gone))
    return gone
  }

  #read(): StoredToken[] {
    let value: unknown
    try {
      value = JSON.parse(readFileSync(this.#file, 'utf8'))
    } catch {
      value = undefined
    }
    const tokens = isPlainObject(value) ? value['tokens'] : undefined
    // A file that cannot be read lets nobody in.
    return Array.isArray(tokens) ? tokens.filter(isStored) : []
  }

  #write(tokens: readonly StoredToken[]): void {
    makeFolder(this.#folder)
    writeAtomic(this.#file, `${JSON.stringify({ tokens }, null, 2)}\n`, 0o600)
    this.#stamp = ''
    this.#lookedAt = Number.NEGATIVE_INFINITY
  }
}

function isStored(value: unknown): value is StoredToken {
  if (!isPlainObject(value)) return false
  const { name, sha256: digest, grants, allowedTools, offer } = value
  return (
    typeof name === 'string' &&
    typeof digest === 'string' &&
    /^[0-9a-f]{64}$/.test(digest) &&
    (grants === undefined || (Array.isArray(grants) && grants.every((grant) => typeof grant === 'string'))) &&
    (allowedTools === undefined || typeof allowedTools === 'string') &&
    (offer === undefined || typeof offer === 'string')
  )
}

export function isExpired({ expiresAt }: Pick<StoredToken, 'expiresAt'>, now = Date.now()): boolean {
  return expiresAt !== undefined && !(Date.parse(expiresAt) > now)
}
