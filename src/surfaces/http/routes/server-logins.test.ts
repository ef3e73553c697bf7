// Log-ins from the console and over HTTP, up to the page that a person comes back to.
import { expect, it, onTestFinished } from 'vitest'
import { loginBench } from '../../../../test/helpers/login-bench.ts'
import { logInAt } from '../../../../test/helpers/servers/identity-provider.mjs'
import { verifies } from '../../../../test/helpers/verifies.ts'
import { serveCrib } from '../serve-crib.ts'

const token = 'o'.repeat(32)

async function servedBench(auth?: unknown) {
  const bench = await loginBench(auth)
  const served = await serveCrib(bench.crib, { port: 0, token, watch: false })
  onTestFinished(() => served.close())
  const ask = async (method: string, path: string, as = token) => {
    const response = await fetch(`${served.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${as}` },
    })
    const type = response.headers.get('content-type') ?? ''
    // biome-ignore lint/suspicious/noExplicitAny: tests look into documents of many shapes
    const body: any = type.includes('json') ? await response.json() : await response.text()
    return { status: response.status, body, cookie: response.headers.get('set-cookie') }
  }
  const logins = async () => {
    const { items } = (await ask('GET', '/api/console/inbox')).body
    return items.filter(({ kind }: { kind: string }) => kind === 'login')
  }
  return { ...bench, served, ask, logins }
}

it('shows a server that waits in the inbox, logs in by a page of its provider, and takes it off again', async () => {
  verifies('U4', 'U5')
  const { ask, served, logins, idp } = await servedBench()
  await expect.poll(logins).toEqual([
    {
      id: 'login:box',
      kind: 'login',
      tool: 'mcp/box',
      server: 'box',
      message: 'The server "box" wants a log-in.',
      hint: 'Log in with `toolcrib login box`.',
    },
  ])
  const call = await ask('POST', '/api/tools/box-whoami/call')
  expect(call).toMatchObject({ status: 403, body: { code: 'AUTH_REQUIRED' } })
  const { body, cookie } = await ask('POST', '/api/servers/box/login')
  expect(body).toEqual({
    server: 'box',
    state: 'waiting',
    url: expect.stringContaining(`${idp.issuer}/auth?`),
  })
  expect(new URL(body.url).searchParams.get('redirect_uri')).toBe(`${served.url}/login/callback`)
  expect(cookie).toMatch(/HttpOnly; SameSite=Lax/)
  const page = await logInAt(body.url, { cookie })
  expect(page).toMatchObject({ status: 200, text: expect.stringContaining('Logged in to box.') })
  expect((await ask('GET', '/api/servers/box/login')).body).toMatchObject({ state: 'logged-in' })
  expect(await logins()).toEqual([])
  expect((await ask('POST', '/api/tools/box-whoami/call')).body).toMatchObject({ ok: true, value: 'ada' })
  expect((await ask('DELETE', '/api/servers/box/login')).body).toEqual({ server: 'box', state: 'logged-out' })
  expect((await ask('POST', '/api/tools/box-whoami/call')).body).toMatchObject({
    ok: false,
    error: { code: 'AUTH_REQUIRED' },
  })
  expect(await logins()).toMatchObject([{ server: 'box' }])
})

it('takes nobody back who began in another browser', async () => {
  verifies('U4')
  const { ask, idp } = await servedBench()
  const { body } = await ask('POST', '/api/servers/box/login')
  const page = await logInAt(body.url)
  expect(page).toMatchObject({ status: 400, text: expect.stringContaining('This browser did not begin') })
  expect(idp.requests).not.toContain('POST /token')
})

it('lets admins log in for everybody, and each token for itself with per: user', async () => {
  verifies('U4')
  const { ask, served } = await servedBench({ per: 'user' })
  const made = await fetch(`${served.url}/api/tokens`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'guest' }),
  })
  const { token: guest } = (await made.json()) as { token: string }
  const begun = await ask('POST', '/api/servers/box/login', guest)
  expect(await logInAt(begun.body.url, { name: 'gwen', cookie: begun.cookie })).toMatchObject({ status: 200 })
  expect((await ask('POST', '/api/tools/box-whoami/call', guest)).body).toMatchObject({ value: 'gwen' })
  expect((await ask('POST', '/api/tools/box-whoami/call')).body).toMatchObject({
    error: { code: 'AUTH_REQUIRED' },
  })
  expect((await ask('POST', '/api/servers/other/login', guest)).status).toBe(403)
  expect((await ask('POST', '/api/servers/other/login')).status).toBe(404)
})

it('keeps a log-in for everybody from a token that is no admin', async () => {
  verifies('U4')
  const { ask, served } = await servedBench()
  const made = await fetch(`${served.url}/api/tokens`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'guest' }),
  })
  const { token: guest } = (await made.json()) as { token: string }
  for (const method of ['GET', 'POST', 'DELETE'])
    expect((await ask(method, '/api/servers/box/login', guest)).status).toBe(403)
})
