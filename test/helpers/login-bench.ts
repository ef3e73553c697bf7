// A crib with a protected MCP server named `box`, the identity provider of that server, and people who log in.
import { onTestFinished, vi } from 'vitest'
import { type Crib, openCrib } from '../../src/crib/open-crib.ts'
import { libraryPrincipal, type Principal } from '../../src/tool/principal.ts'
import {
  type IdentityProvider,
  logInAt,
  type ProtectedServer,
  startIdentityProvider,
  startProtectedServer,
} from './servers/identity-provider.mjs'
import { tempFolder } from './temp-folder.ts'

export interface LoginBench {
  readonly idp: IdentityProvider
  readonly server: ProtectedServer
  readonly root: string
  readonly crib: Crib
}

/** `auth` is that of the server's entry. */
export async function loginBench(
  auth?: unknown,
  options: Parameters<typeof startIdentityProvider>[0] = {},
): Promise<LoginBench> {
  const { idp, server } = await protectedServer(options)
  const root = tempFolder({ '.mcp.json': JSON.stringify({ mcpServers: { box: { url: server.url, auth } } }) })
  return { idp, server, root, crib: await openLoginCrib(root) }
}

export async function protectedServer(options: Parameters<typeof startIdentityProvider>[0] = {}) {
  const idp = await startIdentityProvider(options)
  onTestFinished(() => idp.close())
  const server = await startProtectedServer(idp)
  onTestFinished(() => server.close())
  return { idp, server }
}

export async function openLoginCrib(root: string, config = {}): Promise<Crib> {
  const crib = await openCrib({ root, env: { HOME: root }, trustFolder: true, config })
  onTestFinished(() => crib.close())
  return crib
}

/** Logs in to `box` as somebody; gives the last page they saw too. */
export async function logInToBox(
  crib: Crib,
  person: { readonly name?: string; readonly agrees?: boolean } = {},
  principal: Principal = libraryPrincipal,
) {
  let page: ReturnType<typeof logInAt> | undefined
  const report = await crib.logins.logInTo('box', principal, {
    signal: AbortSignal.timeout(20_000),
    show: async (address) => {
      page = logInAt(address, person)
      return true
    },
  })
  return { report, page: await page! }
}

/** Everybody's clock goes on by so many seconds. */
export function later(seconds: number): void {
  const now = Date.now()
  vi.useFakeTimers({ toFake: ['Date'], now: now + seconds * 1000 })
  onTestFinished(() => {
    vi.useRealTimers()
  })
}

/** The tokens that a server was sent, in their order. */
export function tokensSeen(server: ProtectedServer): string[] {
  const sent = server.seen.flatMap(({ authorization }) => authorization?.replace('Bearer ', '') ?? [])
  return [...new Set(sent)]
}
