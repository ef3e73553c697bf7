// Bearer tokens. Only their digests are kept, and they are compared in constant time; no token is ever logged.

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { chmodSync, lstatSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { Config, TokenConfig } from '../../config/config.ts'
import { makeFolder } from '../../config/make-folder.ts'
import type { Spaces } from '../../config/spaces.ts'
import { defined } from '../../tool/defined.ts'
import { makePrincipal, type Principal } from '../../tool/principal.ts'
import type { Static } from '../../tool/shape.ts'
import { ToolError } from '../../tool/tool-error.ts'
import type { IssuedTokens } from './issued-tokens.ts'
import { operator } from './principals.ts'
import { tokenFile } from './token-file.ts'
import type { listedTokenShape } from './token-shape.ts'
import { isExpired, type StoredToken, type TokenStore } from './token-store.ts'

interface Entry {
  readonly digest: Buffer
  readonly principal: Principal
}

interface StoredEntry extends Entry {
  readonly stored: StoredToken
}

/** Gives the value of `secret://NAME`; undefined when there is none. */
export type ReadSecret = (name: string) => Promise<string | undefined>

/** A token as lists show it: its name and what it may do, nothing it could be made from. */
export interface ListedToken extends Static<typeof listedTokenShape> {}

/** Where tokens come from besides the configuration, and what their offers hold. */
export interface TokenSources {
  readonly store?: TokenStore
  readonly issued?: IssuedTokens | undefined
  readonly offers?: () => Config['offers']
}

export class Tokens {
  readonly #fixed: readonly Entry[]
  readonly #store: TokenStore | undefined
  readonly #issued: IssuedTokens | undefined
  readonly #offers: () => Config['offers']
  /** The principal of an entry whose offer was looked up, for as long as the settings are the same. */
  readonly #bound = new WeakMap<Entry, { readonly of: Config['offers']; readonly principal: Principal }>()
  #stored: { readonly of: readonly StoredToken[]; readonly entries: readonly StoredEntry[] } | undefined

  constructor(fixed: readonly Entry[], { store, issued, offers }: TokenSources = {}) {
    this.#fixed = fixed
    this.#store = store
    this.#issued = issued
    this.#offers = offers ?? (() => ({}))
  }

  /** The OAuth issuer whose tokens are taken too. */
  get issuer(): string | undefined {
    return this.#issued?.issuer
  }

  /** Who an `Authorization` header belongs to; every entry is compared, so that time tells nothing. */
  identify(authorization: string | undefined): Principal | undefined | Promise<Principal | undefined> {
    const given = /^bearer +([^\s]+) *$/i.exec(authorization ?? '')?.[1]
    if (given === undefined) return undefined
    const digest = digestOf(given)
    let found: Principal | undefined
    for (const entry of this.#entries)
      if (timingSafeEqual(entry.digest, digest)) found ??= this.#principalOf(entry)
    return found ?? this.#issued?.identify(given)
  }

  /** With what its offer holds now; of one that is no more, nothing. */
  #principalOf(entry: Entry): Principal {
    const { offer } = entry.principal
    if (!offer) return entry.principal
    const of = this.#offers()
    const known = this.#bound.get(entry)
    if (known?.of === of) return known.principal
    const tools = Object.hasOwn(of, offer.name) ? of[offer.name]!.tools : []
    const principal = { ...entry.principal, offer: { name: offer.name, tools } }
    this.#bound.set(entry, { of, principal })
    return principal
  }

  /** Every token by name and scope. */
  list(): ListedToken[] {
    return [
      ...this.#fixed.map(({ principal }) =>
        listed(principal, principal === operator ? 'operator' : 'config'),
      ),
      ...this.#storedEntries.map(({ principal, stored }) =>
        defined({
          ...listed(principal, 'store'),
          createdAt: stored.createdAt,
          expiresAt: stored.expiresAt,
        }),
      ),
    ]
  }

  get #entries(): readonly Entry[] {
    const stored = this.#storedEntries
    return stored.length === 0
      ? this.#fixed
      : [...this.#fixed, ...stored.filter((entry) => !isExpired(entry.stored))]
  }

  /** Those of the store, made into entries once per change of its file. */
  get #storedEntries(): readonly StoredEntry[] {
    const of = this.#store?.tokens ?? []
    if (this.#stored?.of !== of)
      this.#stored = {
        of,
        entries: of.map((stored) => ({
          stored,
          digest: Buffer.from(stored.sha256, 'hex'),
          principal: principalOf(stored),
        })),
      }
    return this.#stored.entries
  }

  /** The configured token of a name; undefined for the operator's own and for unknown ones. */
  named(name: string): Principal | undefined {
    const entry = this.#configured.find(({ principal }) => principal.name === name)
    return entry ? this.#principalOf(entry) : this.#issued?.named(name)
  }

  get #configured(): Entry[] {
    return this.#entries.filter((entry) => entry.principal !== operator)
  }
}

/** The operator's token plus those of the configuration. */
export async function openTokens(
  own: string | undefined,
  configured: readonly TokenConfig[],
  values: { readonly env: NodeJS.ProcessEnv; readonly readSecret: ReadSecret },
  sources: TokenSources = {},
): Promise<Tokens> {
  const entries: Entry[] = own === undefined ? [] : [{ digest: digestOf(own), principal: operator }]
  for (const token of configured) {
    // Runs, sessions and records go by the name, so nobody may go by the operator's.
    if (token.name === operator.name)
      throw new ToolError('CONFIG_INVALID', `serve.tokens: a token cannot be named "${operator.name}".`, {
        hint: 'That is the name of the token of `toolcrib serve` itself; choose another.',
      })
    entries.push({
      digest: await configuredDigest(token, values.env, values.readSecret),
      principal: principalOf(token),
    })
  }
  return new Tokens(entries, sources)
}

function listed(principal: Principal, from: ListedToken['from']): ListedToken {
  const { name, isAdmin, grants, allowedTools, offer } = principal
  return defined({
    name,
    from,
    admin: isAdmin,
    grants,
    allowedTools,
    offer: offer?.name,
  })
}

function principalOf(token: Omit<TokenConfig, 'token'> & { readonly expiresAt?: string }): Principal {
  const { name, admin, grants, allowedTools, offer, expiresAt } = token
  return makePrincipal({
    surface: 'http',
    name,
    isAdmin: admin === true,
    grants,
    allowedTools,
    offer: offer === undefined ? undefined : { name: offer, tools: [] },
    expiresAt,
    isToken: true,
  })
}

async function configuredDigest(
  { name, token }: TokenConfig,
  env: NodeJS.ProcessEnv,
  readSecret: ReadSecret,
): Promise<Buffer> {
  if (token.startsWith('sha256:')) {
    const hex = token.slice(7)
    if (!/^[0-9a-f]{64}$/i.test(hex))
      throw new ToolError(
        'CONFIG_INVALID',
        `serve.tokens: the SHA-256 of token "${name}" is not 64 hex digits.`,
        {
          hint: 'Make it with: printf %s "$TOKEN" | sha256sum',
        },
      )
    return Buffer.from(hex, 'hex')
  }
  const source = token.slice(token.indexOf('://') + 3)
  const value = token.startsWith('env://') ? env[source] : await readSecret(source)
  if (!value)
    throw new ToolError('CONFIG_INVALID', `serve.tokens: ${token} of token "${name}" has no value.`, {
      hint: token.startsWith('env://')
        ? `Set ${source} in the environment, where the server is started.`
        : `Store it with \`toolcrib secrets set ${source}\`.`,
    })
  return digestOf(value)
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

/** The crib's own token: made on first start, kept in `.toolcrib/token`, readable by its owner alone. */
export function ownToken(spaces: Spaces): string {
  const file = tokenFile(spaces)
  const kept = readToken(file)
  if (kept) return kept
  const token = `tc_${randomBytes(24).toString('base64url')}`
  makeFolder(spaces.state)
  try {
    // One without a token is what a process left that ended before it had written.
    if (kept === '') rmSync(file)
    writeFileSync(file, `${token}\n`, { mode: 0o600, flag: 'wx' })
    return token
  } catch (error) {
    const other = readToken(file)
    if (other) return other
    throw unusable(file, 'written', error)
  }
}

/** Undefined when there is no such file. */
function readToken(file: string): string | undefined {
  const found = lstatSync(file, { throwIfNoEntry: false })
  if (!found) return undefined
  const own = process.getuid?.() ?? found.uid
  if (!found.isFile()) throw notOurs(file, 'is a link or a folder')
  if (![own, 0].includes(found.uid))
    throw notOurs(file, 'belongs to another user, who may know what is in it')
  try {
    const text = readFileSync(file, 'utf8').trim()
    if ((found.mode & 0o077) !== 0) chmodSync(file, 0o600)
    return text
  } catch (error) {
    throw unusable(file, 'read', error)
  }
}

function notOurs(file: string, what: string): ToolError {
  return new ToolError('CONFIG_INVALID', `The token file ${file} ${what}.`, {
    hint: `Remove it, and the next start makes a new one: rm -r ${file}`,
  })
}

function unusable(file: string, what: 'read' | 'written', error: unknown): ToolError {
  return new ToolError(
    'CONFIG_INVALID',
    `The token file ${file} cannot be ${what}: ${(error as Error).message}.`,
    { hint: 'Give this user the right to it, or give a token with --token.' },
  )
}
