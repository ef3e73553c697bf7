// Log-ins to a protected MCP server, with a real identity provider on loopback and people who use nothing but HTTP.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  later,
  logInToBox,
  loginBench,
  openLoginCrib,
  protectedServer,
  tokensSeen,
} from '../../../test/helpers/login-bench.ts'
import { proves } from '../../../test/helpers/proves.ts'
import { logInAt } from '../../../test/helpers/servers/identity-provider.mjs'
import { tempFolder } from '../../../test/helpers/temp-folder.ts'
import { verifies } from '../../../test/helpers/verifies.ts'
import { openCrib } from '../../crib/open-crib.ts'
import { libraryPrincipal, makePrincipal } from '../../tool/principal.ts'

describe('a server that answers 401', () => {
  it('is AUTH_REQUIRED with the command, also for tools nobody could list, and works after the log-in', async () => {
    verifies('U4', 'U5')
    const { crib, idp } = await loginBench()
    expect(await crib.call('box-whoami')).toMatchObject({
      ok: false,
      error: {
        code: 'AUTH_REQUIRED',
        message: 'The server "box" wants a log-in.',
        hint: 'Log in with `toolcrib login box`.',
      },
    })
    expect(crib.problems).toMatchObject([{ code: 'mcp-login-needed', toolId: 'mcp/box' }])
    const { report, page } = await logInToBox(crib)
    expect(page).toMatchObject({ status: 200, text: expect.stringContaining('Logged in to box.') })
    expect(report).toMatchObject({ server: 'box', state: 'logged-in', expiresAt: expect.any(String) })
    expect(crib.problems).toEqual([])
    expect(await crib.call('box-whoami')).toMatchObject({ ok: true, value: 'ada' })
    expect(idp.requests).toContain('POST /reg')
  })

  it('is logged in to once for all processes, and asks for no second client at the next log-in', async () => {
    verifies('U4')
    const { crib, idp, root } = await loginBench()
    await logInToBox(crib)
    const other = await openLoginCrib(root)
    expect(await other.call('box-whoami')).toMatchObject({ ok: true, value: 'ada' })
    await logInToBox(other, { name: 'bob' })
    expect(await crib.call('box-whoami')).toMatchObject({ ok: true, value: 'bob' })
    expect(idp.requests.filter((request) => request === 'POST /reg')).toHaveLength(1)
  })

  it('is not contacted, nor logged in to, while its folder is not accepted', async () => {
    verifies('U4', 'G3')
    const { server, root } = await loginBench()
    await using crib = await openCrib({ root, env: { HOME: root }, trustFolder: false })
    await crib.discover()
    await crib.why('box-whoami')
    await expect(logInToBox(crib)).rejects.toMatchObject({
      code: 'FORBIDDEN',
      message: expect.stringContaining('not accepted'),
    })
    expect(server.seen).toEqual([])
  })

  it('asks again, for more, when a call needs a further scope', async () => {
    verifies('U4')
    const { crib } = await loginBench()
    await logInToBox(crib)
    expect(await crib.call('box-more')).toMatchObject({
      ok: false,
      error: { code: 'AUTH_REQUIRED', message: expect.stringContaining('"tools more"') },
    })
    expect(await crib.logins.needed()).toEqual(new Map([['box', 'it asks for the scope tools more']]))
    await logInToBox(crib)
    expect(await crib.call('box-more')).toMatchObject({ ok: true })
    expect(await crib.logins.needed()).toEqual(new Map())
  })
})

describe('tokens', () => {
  it('are renewed once before they end, however many calls wait, in however many processes', async () => {
    verifies('U4')
    const { crib, idp, root, server } = await loginBench(undefined, { ttl: 600 })
    await logInToBox(crib)
    const other = await openLoginCrib(root)
    await Promise.all([crib.call('box-whoami'), other.call('box-whoami')])
    expect(idp.refreshes()).toBe(0)
    later(3_600)
    const calls = Array.from({ length: 50 }, (_, index) => (index % 2 ? crib : other).call('box-whoami'))
    expect((await Promise.all(calls)).map((outcome) => outcome.ok)).toEqual(Array(50).fill(true))
    expect(idp.refreshes()).toBe(1)
    expect(tokensSeen(server)).toHaveLength(2)
  })

  it('that the server refuses before their time are renewed once too', async () => {
    verifies('U4')
    const { crib, idp, server } = await loginBench()
    await logInToBox(crib)
    await crib.call('box-whoami')
    server.refused.add(tokensSeen(server)[0]!)
    const calls = Array.from({ length: 50 }, () => crib.call('box-whoami'))
    expect((await Promise.all(calls)).every((outcome) => outcome.ok)).toBe(true)
    expect(idp.refreshes()).toBe(1)
  })

  it('are kept sealed, and stand in no result, record or problem, even when the server gives them away', async () => {
    verifies('U4')
    proves('login-tokens')
    const { crib, root, server } = await loginBench()
    await logInToBox(crib)
    const outcome = await crib.call('box-tell')
    expect(outcome).toMatchObject({ ok: true, value: 'the token is [secret:log-in to box]' })
    await crib.crumbs.runs.flush()
    const [token] = tokensSeen(server)
    expect(token).toMatch(/^eyJ/)
    const kept = readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .filter((entry) => readFileSync(join(entry.parentPath, entry.name)).includes(token!))
    expect(kept).toEqual([])
    const { secrets } = await crib.crumbs.open()
    expect(await secrets.list(libraryPrincipal)).toEqual([])
    expect(JSON.stringify(await crib.crumbs.runs.list({ limit: 50 }))).not.toContain(token)
  })

  it('do not follow an entry that is changed to another address', async () => {
    verifies('U4')
    proves('login-tokens')
    const { crib, root, idp } = await loginBench()
    await logInToBox(crib)
    const { server: other } = await protectedServer()
    const moved = tempFolder({ '.mcp.json': JSON.stringify({ mcpServers: { box: { url: other.url } } }) })
    const store = join(root, '.toolcrib', 'crib.db')
    const there = await openLoginCrib(moved, { store })
    expect(await there.call('box-whoami')).toMatchObject({ ok: false, error: { code: 'AUTH_REQUIRED' } })
    expect(tokensSeen(other)).toEqual([])
    expect(idp.refreshes()).toBe(0)
  })

  it('are revoked and forgotten by a log-out', async () => {
    verifies('U4')
    const { crib, idp, root } = await loginBench()
    await logInToBox(crib)
    const other = await openLoginCrib(root)
    expect(await other.call('box-whoami')).toMatchObject({ ok: true })
    expect(await crib.logins.logOutOf('box', libraryPrincipal)).toEqual({
      server: 'box',
      state: 'logged-out',
      isRevoked: true,
    })
    expect(idp.requests).toContain('POST /token/revocation')
    expect(idp.grants).toContain('revoked')
    expect(await crib.refusals('box-whoami')).toEqual([])
    // The other process has the connection still, and no token any more.
    expect(await other.call('box-whoami')).toMatchObject({ ok: false, error: { code: 'AUTH_REQUIRED' } })
    expect(await other.refusals('box-whoami')).toMatchObject([{ check: 'execute', code: 'AUTH_REQUIRED' }])
  })

  it('are asked of a person once, however many calls need one', async () => {
    verifies('U5')
    const { crib } = await loginBench()
    await logInToBox(crib)
    await crib.logins.logOutOf('box', libraryPrincipal)
    const shown: string[] = []
    const asking = {
      elicitModes: ['url' as const],
      onElicit: async ({ url }: { url: string }) => {
        shown.push(url)
        void logInAt(url, { name: 'ida' })
        return { action: 'accept' }
      },
    }
    const calls = Array.from({ length: 10 }, () => crib.call('box-whoami', {}, asking))
    expect((await Promise.all(calls)).map((outcome) => outcome.ok && outcome.value)).toEqual(
      Array(10).fill('ida'),
    )
    expect(shown).toHaveLength(1)
  })
})

describe('the entry says how', () => {
  const token = (name: string) => makePrincipal({ surface: 'http', name, isToken: true, isAdmin: true })

  it('each user has a log-in of their own with per: user', async () => {
    verifies('U4')
    const { crib } = await loginBench({ per: 'user' })
    await logInToBox(crib, { name: 'ada' }, token('a'))
    expect(await crib.call('box-whoami', {}, { principal: token('a') })).toMatchObject({ value: 'ada' })
    expect(await crib.call('box-whoami', {}, { principal: token('b') })).toMatchObject({
      error: { code: 'AUTH_REQUIRED' },
    })
    await logInToBox(crib, { name: 'bob' }, token('b'))
    const both = await Promise.all(
      ['a', 'b'].map((name) => crib.call('box-whoami', {}, { principal: token(name) })),
    )
    expect(both).toMatchObject([{ value: 'ada' }, { value: 'bob' }])
    await crib.logins.logOutOf('box', token('a'))
    expect(await crib.call('box-whoami', {}, { principal: token('b') })).toMatchObject({ value: 'bob' })
    expect(await crib.call('box-whoami', {}, { principal: token('a') })).toMatchObject({
      error: { code: 'AUTH_REQUIRED' },
    })
  })

  it('a fixed bearer comes from a secret and is asked for by its name', async () => {
    verifies('U4')
    const { crib, server } = await loginBench({ type: 'bearer', secret: 'BOX_TOKEN' })
    server.fixedToken = 'a-token-of-the-operator'
    expect(await crib.call('box-whoami')).toMatchObject({
      error: { message: expect.stringContaining('BOX_TOKEN'), hint: expect.stringContaining('secrets set') },
    })
    const { secrets } = await crib.crumbs.open()
    await secrets.set('BOX_TOKEN', server.fixedToken, libraryPrincipal)
    await crib.discover({ refresh: true })
    expect(await crib.call('box-whoami')).toMatchObject({ ok: true, value: 'fixed' })
    expect(await crib.call('box-tell')).toMatchObject({ value: 'the token is [secret:log-in to box]' })
    await secrets.set('BOX_TOKEN', 'another', libraryPrincipal)
    expect(await crib.call('box-whoami')).toMatchObject({ error: { code: 'AUTH_REQUIRED' } })
  })

  const client = {
    client_id: 'service',
    client_secret: 'the password of the service',
    grant_types: ['client_credentials'],
    redirect_uris: [],
    response_types: [],
  }

  it('client credentials need no person, and are asked for again when the token ends', async () => {
    verifies('U4')
    const auth = {
      type: 'client-credentials',
      clientId: 'service',
      secret: 'BOX_PASSWORD',
      scopes: ['tools'],
    }
    const { crib, idp } = await loginBench(auth, { ttl: 600, clients: [client] })
    const { secrets } = await crib.crumbs.open()
    await secrets.set('BOX_PASSWORD', 'wrong', libraryPrincipal)
    expect(await crib.call('box-whoami')).toMatchObject({
      error: { code: 'AUTH_REQUIRED', hint: expect.stringContaining('BOX_PASSWORD') },
    })
    await secrets.set('BOX_PASSWORD', client.client_secret, libraryPrincipal)
    await crib.discover({ refresh: true })
    expect(await crib.call('box-whoami')).toMatchObject({ ok: true, value: 'service' })
    later(3_600)
    const calls = Array.from({ length: 10 }, () => crib.call('box-whoami'))
    expect((await Promise.all(calls)).every((outcome) => outcome.ok)).toBe(true)
    expect(idp.grants).toEqual(['client_credentials', 'client_credentials'])
  })

  it('a given client id is used, at the port that it was registered for', async () => {
    verifies('U4')
    const own = {
      client_id: 'mine',
      token_endpoint_auth_method: 'none',
      application_type: 'native',
      grant_types: ['authorization_code', 'refresh_token'],
      redirect_uris: ['http://127.0.0.1/callback'],
    }
    const { crib, idp } = await loginBench({ clientId: 'mine' }, { clients: [own] })
    await logInToBox(crib)
    expect(await crib.call('box-whoami')).toMatchObject({ ok: true, value: 'ada' })
    expect(idp.requests).not.toContain('POST /reg')
  })

  it.each([
    [{ type: 'bearer' }, 'secret'],
    [{ type: 'client-credentials', clientId: 'x' }, 'secret'],
    [{ type: 'magic' }, 'type'],
    [{ per: 'user', type: 'bearer', secret: 'X' }, 'per user'],
    ['sometimes', 'auth of "box"'],
  ])('%j is a problem at its line', async (auth, said) => {
    verifies('U4')
    const root = tempFolder({
      '.mcp.json': JSON.stringify({ mcpServers: { box: { url: 'https://box.example', auth } } }, null, 2),
    })
    const crib = await openLoginCrib(root)
    expect(crib.problems).toMatchObject([
      { code: 'mcp-server-invalid', line: 5, message: expect.stringContaining(said) },
    ])
  })
})
