// Who may use the server: tokens made by the operator, and those of an OAuth issuer.
import { chownSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { describe, expect, it, onTestFinished } from 'vitest'
import { tempFolder } from '../../../test/helpers/temp-folder.ts'
import { verifies } from '../../../test/helpers/verifies.ts'
import { spacesOf } from '../../config/spaces.ts'
import { openCrib } from '../../crib/open-crib.ts'
import { type Served, serveCrib } from './serve-crib.ts'
import { TokenStore } from './token-store.ts'
import { ownToken } from './tokens.ts'

async function serve(config: { [key: string]: unknown } = {}, root = tempFolder()) {
  const crib = await openCrib({ root, env: { HOME: root }, config })
  crib.addTools([
    { id: 'math/add', params: { type: 'object' }, requires: [], fn: () => 3 },
    { id: 'web/get', params: { type: 'object' }, requires: ['net.http'], fn: () => 'page' },
  ])
  const served = await serveCrib(crib, { port: 0, watch: false })
  onTestFinished(async () => {
    await served.close(0)
    await crib.close()
  })
  return { crib, served, store: new TokenStore(spacesOf(root, { HOME: root })), root }
}

function ask(served: Served, path: string, token?: string, init: RequestInit = {}): Promise<Response> {
  return fetch(`${served.url}${path}`, {
    ...init,
    headers: { ...(token ? { authorization: `Bearer ${token}` } : {}), 'content-type': 'application/json' },
  })
}

const ids = async (answer: Promise<Response>) =>
  ((await (await answer).json()) as { tools: { id: string }[] }).tools.map((tool) => tool.id)
const call = (served: Served, id: string, token: string) =>
  ask(served, `/api/tools/${id}/call`, token, { method: 'POST', body: '{}' })

/** Waits until the server has looked at its tokens again. */
const works = (served: Served, token: string, status = 200) =>
  expect.poll(async () => (await ask(served, '/readyz', token)).status, { timeout: 10_000 }).toBe(status)

describe('a token made by the operator', () => {
  it('works in a running server, within its scope, until it is taken away', async () => {
    const { served, store } = await serve({ grants: { default: ['net.http'] } })
    const { token } = store.add('reader', { allowedTools: 'math/*' })
    await works(served, token)
    expect(await ids(ask(served, '/api/tools', token))).toEqual(['math/add'])
    expect((await call(served, 'math/add', token)).status).toBe(200)
    expect((await call(served, 'web/get', token)).status).toBe(403)
    store.remove('reader')
    await works(served, token, 401)
  })

  it('ends when its time is up', async () => {
    const { served, store, root } = await serve()
    const { token } = store.add('guest', { expiresAt: new Date(Date.now() + 3_600_000).toISOString() })
    await works(served, token)
    const file = join(root, '.toolcrib', 'tokens.json')
    const kept = JSON.parse(readFileSync(file, 'utf8'))
    kept.tokens[0].expiresAt = new Date(Date.now() - 1_000).toISOString()
    writeFileSync(file, JSON.stringify(kept))
    await works(served, token, 401)
  })

  it('is kept as a digest in a file only the owner can read', async () => {
    const { store, root } = await serve()
    const { token } = store.add('one', {})
    const file = join(root, '.toolcrib', 'tokens.json')
    expect(readFileSync(file, 'utf8')).not.toContain(token)
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  it('has a name of its own', async () => {
    const { store } = await serve()
    store.add('one', {})
    expect(() => store.add('one', {})).toThrow(/There is a token "one" already/)
    expect(() => store.add('operator', {})).toThrow(/no name for a token/)
    expect(() => store.add('../x', {})).toThrow(/no name for a token/)
    expect(() => store.remove('two')).toThrow(/There is no token "two"/)
  })

  it('lets nobody in when the file is broken', async () => {
    const { served, store, root } = await serve()
    const { token } = store.add('one', {})
    await works(served, token)
    writeFileSync(join(root, '.toolcrib', 'tokens.json'), '{"tokens": [{"name": "x"')
    await works(served, token, 401)
    expect((await ask(served, '/readyz', served.token)).status).toBe(200)
  })
})

it('lists tokens to an admin by name and scope, never a value or a digest', async () => {
  const { served, store } = await serve({
    serve: { tokens: [{ name: 'ci', token: `sha256:${'a'.repeat(64)}`, grants: ['fs.read'] }] },
  })
  const { token } = store.add('reader', { allowedTools: 'math/*' })
  await works(served, token)
  const answer = await ask(served, '/api/tokens', served.token)
  const text = await answer.text()
  expect(JSON.parse(text)).toEqual({
    tokens: [
      { name: 'operator', from: 'operator', admin: true },
      { name: 'ci', from: 'config', admin: false, grants: ['fs.read'] },
      { name: 'reader', from: 'store', admin: false, allowedTools: 'math/*', createdAt: expect.any(String) },
    ],
    issuer: null,
  })
  expect(text).not.toContain(token)
  expect(text).not.toMatch(/[0-9a-f]{64}/)
  expect((await ask(served, '/api/tokens', token)).status).toBe(403)
})

/** An OAuth issuer on loopback with one key. */
async function openIssuer() {
  const { publicKey, privateKey } = await generateKeyPair('ES256')
  const jwk = { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256' }
  const server = createServer((request, response) => {
    const { port } = server.address() as AddressInfo
    const issuer = `http://127.0.0.1:${port}`
    response.setHeader('content-type', 'application/json')
    if (request.url === '/.well-known/oauth-authorization-server')
      response.end(JSON.stringify({ issuer, jwks_uri: `${issuer}/keys` }))
    else if (request.url === '/keys') response.end(JSON.stringify({ keys: [jwk] }))
    else response.writeHead(404).end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const sign = (claims: JWTPayload, key = privateKey) =>
    new SignJWT({ iss: issuer, sub: 'ada', exp: Math.floor(Date.now() / 1000) + 300, ...claims })
      .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
      .sign(key)
  return { issuer, sign }
}

describe('a token of an OAuth issuer', () => {
  it('may do what its scopes say', async () => {
    const { issuer, sign } = await openIssuer()
    const { served } = await serve({ serve: { issuer }, grants: { default: ['net.http', 'fs.read'] } })
    const aud = `${served.url}/mcp`
    const all = await sign({ aud, scope: 'tools' })
    expect(await ids(ask(served, '/api/tools', all))).toContain('web/get')
    expect((await ask(served, '/api/approvals', all)).status).toBe(403)
    const some = await sign({ aud: served.url, scope: 'openid tool:math/*' })
    expect(await ids(ask(served, '/api/tools', some))).toEqual(['math/add'])
    const offline = await sign({ aud, scope: 'tools grant:fs.read' })
    expect((await call(served, 'web/get', offline)).status).toBe(403)
    expect((await ask(served, '/api/approvals', await sign({ aud, scope: 'tools admin' }))).status).toBe(200)
    expect(await ids(ask(served, '/api/tools', await sign({ aud, scope: 'unknown' })))).toEqual([])
  })

  it.each([
    ['made for another server', () => ({ aud: 'https://other.example/mcp', scope: 'tools' })],
    ['made for nobody', () => ({ scope: 'tools' })],
    ['of another issuer', (url: string) => ({ aud: url, iss: 'https://evil.example', scope: 'tools' })],
    ['that is over', (url: string) => ({ aud: url, exp: 1_000, scope: 'tools' })],
    ['without a subject', (url: string) => ({ aud: url, sub: undefined, scope: 'tools' })],
  ])('is refused %s', async (_what, claims) => {
    const { issuer, sign } = await openIssuer()
    const { served } = await serve({ serve: { issuer } })
    const token = await sign(claims(`${served.url}/mcp`) as JWTPayload)
    const answer = await ask(served, '/api/tools', token)
    expect(answer.status).toBe(401)
    expect(answer.headers.get('www-authenticate')).toContain('error="invalid_token"')
  })

  it('is refused when another key signed it, or none did', async () => {
    const { issuer, sign } = await openIssuer()
    const { served } = await serve({ serve: { issuer } })
    const { privateKey } = await generateKeyPair('ES256')
    const forged = await sign({ aud: served.url, scope: 'tools' }, privateKey)
    const [, payload] = forged.split('.')
    const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.`
    for (const token of [forged, unsigned, 'a.b.c'])
      expect((await ask(served, '/api/tools', token)).status).toBe(401)
  })

  it('is found by the metadata that a refused client is pointed to', async () => {
    const { issuer } = await openIssuer()
    const { served } = await serve({ serve: { issuer } })
    const refused = await fetch(served.mcp, { method: 'POST', body: '{}' })
    expect(refused.status).toBe(401)
    const [, address] = /resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate')!)!
    const metadata = await (await fetch(address!)).json()
    expect(metadata).toMatchObject({
      resource: served.mcp,
      authorization_servers: [issuer],
      bearer_methods_supported: ['header'],
    })
  })

  it('says what is wrong when the issuer cannot be reached, and lets the operator in', async () => {
    const { served } = await serve({ serve: { issuer: 'http://127.0.0.1:9' } })
    const answer = await ask(served, '/api/tools', 'a.b.c')
    expect(answer.status).toBeGreaterThanOrEqual(500)
    expect(await answer.json()).toMatchObject({
      code: 'UPSTREAM_FAILED',
      detail: expect.stringContaining('127.0.0.1:9'),
    })
    expect((await ask(served, '/readyz', served.token)).status).toBe(200)
  })

  it('needs an https issuer, and without one there is no metadata', async () => {
    await expect(serve({ serve: { issuer: 'http://login.example.com' } })).rejects.toThrow(/no https address/)
    const { served } = await serve()
    expect((await fetch(`${served.url}/.well-known/oauth-protected-resource`)).status).toBe(401)
  })
})

describe("the crib's own token", () => {
  const place = (files: { readonly [path: string]: string }) => spacesOf(tempFolder(files), {})

  it('is the same at every start, and in a file for its owner alone', () => {
    const spaces = place({})
    const token = ownToken(spaces)
    expect(token).toMatch(/^tc_.{32}$/)
    expect(ownToken(spaces)).toBe(token)
    expect(statSync(join(spaces.state, 'token')).mode & 0o777).toBe(0o600)
  })

  it('is made anew where a process ended before it had written it', () => {
    const spaces = place({ '.toolcrib/token': '' })
    const token = ownToken(spaces)
    expect(readFileSync(join(spaces.state, 'token'), 'utf8').trim()).toBe(token)
  })

  it('is no folder and no link, which would have another file read and its mode changed', () => {
    verifies('G20')
    const spaces = place({ '.toolcrib/token/file': 'a folder in its place', 'public/key': 'known to all' })
    expect(() => ownToken(spaces)).toThrow(/token is a link or a folder/)
    rmSync(join(spaces.state, 'token'), { recursive: true })
    symlinkSync(join(spaces.project, 'public/key'), join(spaces.state, 'token'))
    expect(() => ownToken(spaces)).toThrow(/token is a link or a folder/)
    expect(statSync(join(spaces.project, 'public/key')).mode & 0o777).not.toBe(0o600)
  })

  it.skipIf(process.getuid?.() !== 0)('is not one that another user wrote and knows', () => {
    verifies('G20')
    const spaces = place({ '.toolcrib/token': 'known to another user' })
    chownSync(join(spaces.state, 'token'), 4242, 4242)
    expect(() => ownToken(spaces)).toThrow(/token belongs to another user/)
  })
})
