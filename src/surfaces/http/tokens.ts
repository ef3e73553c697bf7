// Bearer tokens. Only their digests are kept, and they are compared in constant time; no token is ever logged.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TokenConfig } from '../../config/config.ts'
import type { Spaces } from '../../config/spaces.ts'
import { ToolError } from '../../tool/tool-error.ts'
import { type Identity, operator } from './identity.ts'

interface Entry {
  readonly digest: Buffer
  readonly identity: Identity
}

/** Gives the value of `secret://NAME`; undefined when there is none. */
export type ReadSecret = (name: string) => Promise<string | undefined>

export class Tokens {
  readonly #entries: readonly Entry[]

  constructor(entries: readonly { readonly digest: Buffer; readonly identity: Identity }[]) {
    this.#entries = entries
  }

  /** Who an `Authorization` header belongs to; every entry is compared, so that time tells nothing. */
  identify(authorization: string | undefined): Identity | undefined {
    const given = /^bearer +([^\s]+) *$/i.exec(authorization ?? '')?.[1]
    if (given === undefined) return undefined
    const digest = digestOf(given)
    let found: Identity | undefined
    for (const entry of this.#entries) if (timingSafeEqual(entry.digest, digest)) found ??= entry.identity
    return found
  }

  /** The configured token of a name; undefined for the operator's own and for unknown ones. */
  named(name: string): Identity | undefined {
    return this.#configured.find((entry) => entry.identity.name === name)?.identity
  }

  /** Names of the configured tokens. */
  get names(): string[] {
    return this.#configured.map((entry) => entry.identity.name)
  }

  get #configured(): Entry[] {
    return this.#entries.filter((entry) => entry.identity !== operator)
  }
}

/** The operator's token plus those of the configuration. */
export async function openTokens(
  own: string | undefined,
  configured: readonly TokenConfig[],
  env: NodeJS.ProcessEnv,
  readSecret: ReadSecret,
): Promise<Tokens> {
  const entries: Entry[] = own === undefined ? [] : [{ digest: digestOf(own), identity: operator }]
  for (const token of configured) {
    entries.push({ digest: await configuredDigest(token, env, readSecret), identity: identityOf(token) })
  }
  return new Tokens(entries)
}

function identityOf(token: TokenConfig): Identity {
  return {
    name: token.name,
    isAdmin: token.admin === true,
    ...(token.grants === undefined ? {} : { grants: token.grants }),
    ...(token.allowedTools === undefined ? {} : { allowedTools: token.allowedTools }),
  }
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
        ? `Set ${source}.`
        : `Store it with \`toolcrib secrets set ${source}\`.`,
    })
  return digestOf(value)
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

/** The crib's own token: made on first start, kept in `.toolcrib/token`, readable by its owner alone. */
export function ownToken(spaces: Spaces): string {
  const file = join(spaces.state, 'token')
  const kept = readToken(file)
  if (kept) return kept
  const token = `tc_${randomBytes(24).toString('base64url')}`
  mkdirSync(spaces.state, { recursive: true })
  try {
    writeFileSync(file, `${token}\n`, { mode: 0o600, flag: 'wx' })
    return token
  } catch (error) {
    const other = readToken(file)
    if (other) return other
    throw new ToolError(
      'CONFIG_INVALID',
      `The token file ${file} cannot be written: ${(error as Error).message}.`,
      {
        hint: 'Make the folder writable, or give a token with --token.',
      },
    )
  }
}

function readToken(file: string): string | undefined {
  try {
    const text = readFileSync(file, 'utf8').trim()
    if ((statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600)
    return text === '' ? undefined : text
  } catch {
    return undefined
  }
}
