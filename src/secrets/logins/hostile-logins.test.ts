// What goes wrong between a crib, a server and an identity provider, by chance or on purpose. Nothing of a log-in is
// kept that was not checked, and no token goes where it should not.
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  later,
  logInToBox,
  loginBench,
  openLoginCrib,
  protectedServer,
  tokensSeen,
} from '../../../test/helpers/login-bench.ts'
import { proves } from '../../../test/helpers/proves.ts'
import { logInAt, startCatcher } from '../../../test/helpers/servers/identity-provider.mjs'
import { Rig } from '../../../test/helpers/store/rig.ts'
import { verifies } from '../../../test/helpers/verifies.ts'
import { libraryPrincipal } from '../../tool/principal.ts'
import { SecretBox } from '../secret-box.ts'
import { Logins } from './logins.ts'

/** Begins a log-in in which the test is the browser. */
async function begun(
  crib: Awaited<ReturnType<typeof openLoginCrib>>,
  redirectUri = 'http://127.0.0.1:1/callback',
) {
  const login = await crib.logins.begin('box', libraryPrincipal, redirectUri)
  if (!('address' in login)) throw new Error('nobody has to log in')
  return login
}

const isLoggedIn = async (crib: Awaited<ReturnType<typeof openLoginCrib>>) =>
  (await crib.logins.stateOf('box', libraryPrincipal)).state === 'logged-in'

describe('who is who', () => {
  it('a token for another server is not kept', async () => {
    verifies('U4')
    proves('login-checked')
    const { crib, idp } = await loginBench()
    idp.audience = 'https://other.example/mcp'
    await expect(logInToBox(crib)).rejects.toMatchObject({
      code: 'UPSTREAM_FAILED',
      message: expect.stringContaining('for another server'),
    })
    expect(await isLoggedIn(crib)).toBe(false)
  })

  it('a server that wants tokens for another server gets none', async () => {
    verifies('U4')
    const { crib, server, idp } = await loginBench()
    server.resource = 'https://other.example/mcp'
    await expect(logInToBox(crib)).rejects.toMatchObject({
      message: expect.stringContaining('another server'),
    })
    expect(idp.requests).toEqual([])
  })

  it('a provider that calls itself by another name is not asked', async () => {
    verifies('U4')
    const { crib, idp } = await loginBench()
    idp.mode = 'wrong-issuer'
    await expect(logInToBox(crib)).rejects.toMatchObject({
      message: expect.stringContaining('not from the identity provider'),
    })
    expect(idp.requests.filter((request) => !request.includes('.well-known'))).toEqual([])
  })

  it('an answer in the name of another provider is given up before its code is used', async () => {
    verifies('U4')
    const { crib, idp } = await loginBench()
    const { flow } = await begun(crib)
    const callback = new URLSearchParams({ state: flow, code: 'c', iss: 'https://evil.example' })
    await expect(crib.logins.finish(callback)).rejects.toMatchObject({
      message: expect.not.stringContaining('evil'),
    })
    expect(idp.requests).not.toContain('POST /token')
    // The same state does not get a second chance.
    callback.set('iss', idp.issuer)
    await expect(crib.logins.finish(callback)).rejects.toMatchObject({ code: 'FORBIDDEN' })
  })

  it('a state counts once, and one that nobody gave out counts for nothing', async () => {
    verifies('U4')
    const { crib, idp } = await loginBench()
    const { page } = await logInToBox(crib)
    const callback = new URL(page.url).searchParams
    await expect(crib.logins.finish(callback)).rejects.toMatchObject({ code: 'FORBIDDEN' })
    const forged = new URLSearchParams({ state: 'guessed', code: 'c', iss: idp.issuer })
    await expect(crib.logins.finish(forged)).rejects.toMatchObject({ code: 'FORBIDDEN' })
    expect(idp.requests.filter((request) => request === 'POST /token')).toHaveLength(1)
    expect(await isLoggedIn(crib)).toBe(true)
  })

  it('a state is over after ten minutes', async () => {
    verifies('U4')
    const { crib, idp } = await loginBench()
    const { flow } = await begun(crib)
    later(601)
    const callback = new URLSearchParams({ state: flow, code: 'c', iss: idp.issuer })
    await expect(crib.logins.finish(callback)).rejects.toMatchObject({ code: 'FORBIDDEN' })
  })

  it('a person who does not agree is told, and nothing is kept', async () => {
    verifies('U4')
    const { crib } = await loginBench()
    await expect(logInToBox(crib, { agrees: false })).rejects.toMatchObject({
      code: 'FORBIDDEN',
      message: expect.stringContaining('was refused at http://127.0.0.1'),
    })
    expect(await isLoggedIn(crib)).toBe(false)
  })

  it.each(['javascript:alert(1)', 'file:///etc/passwd', 'http://idp.example/auth'])(
    'a person is not sent to %s',
    async (address) => {
      verifies('U4')
      const { crib, server } = await loginBench()
      const catcher = await fakeProvider({ authorization_endpoint: address })
      server.authorizationServers = [catcher]
      await expect(logInToBox(crib)).rejects.toMatchObject({ code: 'UPSTREAM_FAILED' })
    },
  )

  it('a client metadata document stands for a registration where the provider takes one', async () => {
    verifies('U4')
    const { root, server } = await loginBench()
    const issuer = await fakeProvider({ client_id_metadata_document_supported: true })
    server.authorizationServers = [issuer]
    const crib = await openLoginCrib(root, { mcp: { clientDocument: 'https://me.example/client.json' } })
    const { address } = await begun(crib)
    expect(new URL(address).searchParams.get('client_id')).toBe('https://me.example/client.json')
  })

  it('a provider that registers nobody is named, with what to do', async () => {
    verifies('U4')
    const { crib, server } = await loginBench()
    server.authorizationServers = [await fakeProvider({})]
    await expect(begun(crib)).rejects.toMatchObject({ hint: expect.stringContaining('auth: { clientId') })
  })
})

describe('a provider in trouble', () => {
  it.each(['down', 'nonsense', 'broken', 'endless'] as const)(
    'that is %s fails the log-in, and is asked again later',
    async (mode) => {
      verifies('U4')
      const { crib, idp } = await loginBench()
      idp.mode = mode
      await expect(logInToBox(crib)).rejects.toMatchObject({ code: 'UPSTREAM_FAILED' })
      idp.mode = 'well'
      await logInToBox(crib)
      expect(await crib.call('box-whoami')).toMatchObject({ ok: true })
    },
  )

  it.each(['down', 'nonsense', 'broken', 'endless'] as const)(
    'that is %s when a token ends fails the call, not the log-in',
    async (mode) => {
      verifies('U4')
      const { crib, idp } = await loginBench(undefined, { ttl: 600 })
      await logInToBox(crib)
      // Its last moments: it still holds.
      later(590)
      idp.mode = mode
      expect(await crib.call('box-whoami')).toMatchObject({ ok: true })
      later(60)
      expect(await crib.call('box-whoami')).toMatchObject({ ok: false, error: { code: 'UPSTREAM_FAILED' } })
      idp.mode = 'well'
      expect(await crib.call('box-whoami')).toMatchObject({ ok: true })
      expect(idp.refreshes()).toBe(1)
    },
  )

  it('that is slow is not waited for without end', async () => {
    verifies('U4')
    const { idp, server } = await protectedServer()
    const rig = new Rig()
    onTestFinished(() => rig.close())
    const logins = new Logins({
      store: rig.store,
      box: new SecretBox({ keyFile: join(rig.dir, 'key') }),
      secret: async () => undefined,
      clientDocument: () => null,
      requestMs: 50,
    })
    onTestFinished(() => logins.close())
    idp.mode = 'slow'
    await expect(
      logins.begin({ name: 'box', url: server.url, hosts: [] }, 'http://127.0.0.1:1/x'),
    ).rejects.toMatchObject({
      code: 'UPSTREAM_FAILED',
      message: `${idp.issuer} did not answer within 0.05 s.`,
      retryable: true,
    })
  })

  it('that saw a refresh token twice ends the log-in: AUTH_REQUIRED, and it is on the list', async () => {
    verifies('U4', 'U5')
    const { crib, idp, root, server } = await loginBench(undefined, { ttl: 600 })
    await logInToBox(crib)
    await crib.call('box-whoami')
    // A thief renews first; the provider notices when the owner does, and revokes everything.
    const { client, refresh } = await stolen(root)
    const form = { grant_type: 'refresh_token', refresh_token: refresh, client_id: client }
    const theft = await fetch(`${idp.issuer}/token`, { method: 'POST', body: new URLSearchParams(form) })
    expect(theft.status).toBe(200)
    later(3_600)
    const calls = await Promise.all(Array.from({ length: 10 }, () => crib.call('box-whoami')))
    for (const outcome of calls) expect(outcome).toMatchObject({ error: { code: 'AUTH_REQUIRED' } })
    expect(await crib.logins.needed()).toEqual(
      new Map([['box', 'its identity provider does not renew the log-in']]),
    )
    expect(await crib.refusals('box-whoami')).toMatchObject([{ code: 'AUTH_REQUIRED' }])
    const asked = idp.requests.filter((request) => request === 'POST /token').length
    await crib.call('box-whoami')
    expect(idp.requests.filter((request) => request === 'POST /token')).toHaveLength(asked)
    await logInToBox(crib)
    expect(await crib.call('box-whoami')).toMatchObject({ ok: true })
    expect(tokensSeen(server)).toHaveLength(2)
  })
})

describe('a redirect to another host', () => {
  it('of the server carries no token there', async () => {
    verifies('U4')
    const { crib, server } = await loginBench()
    await logInToBox(crib)
    const catcher = await startCatcher()
    onTestFinished(() => catcher.close())
    Object.assign(server, { mode: 'elsewhere', other: `${catcher.url}/mcp` })
    expect(await crib.call('box-whoami')).toMatchObject({ ok: false })
    expect(catcher.seen).toEqual([])
  })

  it('of the provider carries no code, no refresh token and no password there', async () => {
    verifies('U4')
    const { crib, idp } = await loginBench(undefined, { ttl: 600 })
    await logInToBox(crib)
    const catcher = await startCatcher()
    onTestFinished(() => catcher.close())
    Object.assign(idp, { mode: 'elsewhere', other: catcher.url })
    later(3_600)
    expect(await crib.call('box-whoami')).toMatchObject({ ok: false, error: { code: 'UPSTREAM_FAILED' } })
    expect(catcher.seen).toEqual([])
  })
})

it('a page that comes back without a log-in shows nothing of what it was given', async () => {
  verifies('U4')
  const { crib } = await loginBench()
  let shown = ''
  const login = crib.logins.logInTo('box', libraryPrincipal, {
    signal: AbortSignal.timeout(20_000),
    show: async (address) => {
      const callback = new URL(new URL(address).searchParams.get('redirect_uri')!)
      callback.search = '?state=<script>alert(1)</script>&code=%3Cb%3E'
      const page = await fetch(callback)
      shown = await page.text()
      expect(page.status).toBe(400)
      expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
      // The log-in still waits for its own answer.
      await logInAt(address)
      return true
    },
  })
  await login
  expect(shown).not.toMatch(/<script|<b>|alert/)
})

/** The metadata of a provider that is nothing but that. */
async function fakeProvider(more: object): Promise<string> {
  const { createServer } = await import('node:http')
  let issuer = ''
  const server = createServer((_request, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(
      JSON.stringify({
        issuer,
        authorization_endpoint: `${issuer}/auth`,
        token_endpoint: `${issuer}/token`,
        response_types_supported: ['code'],
        ...more,
      }),
    ),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  issuer = `http://127.0.0.1:${(server.address() as { port: number }).port}`
  return issuer
}

/** What somebody reads who has both the store and its key. */
async function stolen(root: string): Promise<{ client: string; refresh: string }> {
  const crib = await openLoginCrib(root)
  const store = await crib.crumbs.store()
  const [row] = await store.secrets.list('toolcrib:logins')
  const box = new SecretBox({ keyFile: join(root, '.config', 'toolcrib', 'secrets.key') })
  const { client, tokens } = JSON.parse(box.open(row!))
  return { client: client.client_id, refresh: tokens.refresh }
}
