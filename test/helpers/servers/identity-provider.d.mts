export interface IdentityProvider {
  readonly issuer: string
  mode: 'well' | 'down' | 'slow' | 'nonsense' | 'broken' | 'endless' | 'elsewhere' | 'wrong-issuer'
  /** Where it redirects to in the mode `elsewhere`. */
  other?: string
  /** Whom its tokens are for, whoever is asked for. */
  audience: string | undefined
  /** Seconds that tokens last from now on. */
  ttl: number
  readonly requests: string[]
  readonly grants: string[]
  refreshes(): number
  close(): Promise<void>
}

export interface ProtectedServer {
  readonly url: string
  mode: 'well' | 'elsewhere'
  other?: string
  /** What it says that it is. */
  resource: string | undefined
  authorizationServers: readonly string[] | undefined
  /** The only token it takes, in place of those of the provider. */
  fixedToken?: string
  /** Tokens it does not take any more. */
  readonly refused: Set<string>
  calls: number
  readonly seen: { method: string; path: string; authorization: string | undefined }[]
  close(): Promise<void>
}

export function startIdentityProvider(options?: {
  readonly ttl?: number
  readonly clients?: readonly object[]
}): Promise<IdentityProvider>
export function logInAt(
  address: string,
  options?: {
    readonly name?: string
    readonly agrees?: boolean
    /** A Set-Cookie header that the browser has already. */
    readonly cookie?: string | null
  },
): Promise<{ url: string; status: number; text: string }>
export function startProtectedServer(idp: IdentityProvider): Promise<ProtectedServer>
export function startCatcher(): Promise<{
  readonly url: string
  readonly seen: { path: string; headers: { readonly [name: string]: unknown }; body: string }[]
  close(): Promise<void>
}>
