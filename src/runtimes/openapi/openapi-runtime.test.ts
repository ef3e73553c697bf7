// Operations of APIs against a server that tells what it was sent: every rule of serialisation, log-in, answers, pages.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { answering } from '../../../test/helpers/answering.ts'
import { later, protectedServer } from '../../../test/helpers/login-bench.ts'
import { logInAt } from '../../../test/helpers/servers/identity-provider.mjs'
import { verifies } from '../../../test/helpers/verifies.ts'
import { type Crib, openCrib } from '../../crib/open-crib.ts'
import type { Outcome } from '../../tool/outcome.ts'
import { libraryPrincipal } from '../../tool/principal.ts'

interface Seen {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

let root: string
let crib: Crib
let server: Server
let host: string
let seen: Seen[]
let answer: (request: Seen, response: ServerResponse) => void

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'openapi-'))
  seen = []
  answer = (_request, response) => response.setHeader('content-type', 'application/json').end('{"ok":true}')
  server = createServer(
    answering(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const body = Buffer.concat(chunks).toString('latin1')
      const one = { method: request.method!, url: request.url!, headers: request.headers, body }
      seen.push(one)
      answer(one, response)
    }),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`
})

afterEach(async () => {
  await crib?.close()
  server.closeAllConnections()
  server.close()
  rmSync(root, { recursive: true, force: true })
})

type Operation = { [key: string]: unknown }

/** A crib with one operation `echo/op`. */
async function withOperation(
  operation: Operation,
  more: { path?: string; method?: string; doc?: object } = {},
) {
  const { path = '/op', method = 'get', doc = {} } = more
  const document = {
    openapi: '3.1.0',
    info: { title: 'Echo', version: '1.2' },
    servers: [{ url: `http://${host}/v1/` }],
    paths: {
      [path]: { [method]: { operationId: 'op', responses: { 200: { description: 'x' } }, ...operation } },
    },
    ...doc,
  }
  writeFileSync(join(root, 'echo.openapi.json'), JSON.stringify(document))
  return open()
}

async function open(config: object = {}) {
  const grants = { tools: { 'echo/*': ['fs.read', `net.http:${host}`] } }
  crib = await openCrib({ root, env: { HOME: root }, config: { grants, ...config } })
  return crib
}

async function setSecret(name: string, value: string): Promise<void> {
  const { secrets } = await crib.crumbs.open()
  await secrets.set(name, value, libraryPrincipal)
}

const call = (params: object = {}): Promise<Outcome> => crib.call('echo/op', params)

describe('parameters are written as the document says', () => {
  const list = ['a', 'b c']
  const object = { r: 100, g: 'x y' }
  it.each([
    // place, style, explode, value, what is sent
    ['path', 'simple', false, 5, '/v1/op/5/end'],
    ['path', 'simple', false, 'a/b?c', '/v1/op/a%2Fb%3Fc/end'],
    ['path', 'simple', false, list, '/v1/op/a,b%20c/end'],
    ['path', 'simple', true, list, '/v1/op/a,b%20c/end'],
    ['path', 'simple', false, object, '/v1/op/r,100,g,x%20y/end'],
    ['path', 'simple', true, object, '/v1/op/r=100,g=x%20y/end'],
    ['path', 'label', false, 5, '/v1/op/.5/end'],
    ['path', 'label', false, list, '/v1/op/.a,b%20c/end'],
    ['path', 'label', true, list, '/v1/op/.a.b%20c/end'],
    ['path', 'label', false, object, '/v1/op/.r,100,g,x%20y/end'],
    ['path', 'label', true, object, '/v1/op/.r=100.g=x%20y/end'],
    ['path', 'matrix', false, 5, '/v1/op/;p=5/end'],
    ['path', 'matrix', false, list, '/v1/op/;p=a,b%20c/end'],
    ['path', 'matrix', true, list, '/v1/op/;p=a;p=b%20c/end'],
    ['path', 'matrix', false, object, '/v1/op/;p=r,100,g,x%20y/end'],
    ['path', 'matrix', true, object, '/v1/op/;r=100;g=x%20y/end'],
    ['query', 'form', true, 5, '/v1/op?p=5'],
    ['query', 'form', true, '', '/v1/op?p='],
    ['query', 'form', true, true, '/v1/op?p=true'],
    ['query', 'form', true, 'ä&=', '/v1/op?p=%C3%A4%26%3D'],
    ['query', 'form', true, list, '/v1/op?p=a&p=b%20c'],
    ['query', 'form', false, list, '/v1/op?p=a,b%20c'],
    ['query', 'form', true, object, '/v1/op?r=100&g=x%20y'],
    ['query', 'form', false, object, '/v1/op?p=r,100,g,x%20y'],
    ['query', 'spaceDelimited', false, list, '/v1/op?p=a%20b%20c'],
    ['query', 'pipeDelimited', false, list, '/v1/op?p=a|b%20c'],
    ['query', 'deepObject', true, object, '/v1/op?p[r]=100&p[g]=x%20y'],
    ['query', 'deepObject', true, { a: { b: 1 }, c: [2, 3] }, '/v1/op?p[a][b]=1&p[c]=2&p[c]=3'],
    ['query', 'deepObject', true, [{ a: 1 }, { a: 2 }], '/v1/op?p[0][a]=1&p[1][a]=2'],
    ['query', 'deepObject', true, { c: [{ a: 1 }] }, '/v1/op?p[c][0][a]=1'],
    ['query', 'form', false, [], '/v1/op'],
  ] as const)('%s %s explode %s of %o', async (place, style, explode, value, url) => {
    verifies('U10')
    const path = place === 'path' ? '/op/{p}/end' : '/op'
    await withOperation(
      { parameters: [{ name: 'p', in: place, style, explode, required: true, schema: {} }] },
      { path },
    )
    expect(await call({ p: value })).toMatchObject({ ok: true, value: { ok: true } })
    expect(seen[0]!.url).toBe(url)
  })

  it.each([
    [false, { r: 1, g: 2 }, 'r,1,g,2'],
    [true, { r: 1, g: 2 }, 'r=1,g=2'],
    [false, ['a', 'b'], 'a,b'],
    [false, 'plain', 'plain'],
  ])('headers with explode %s of %o', async (explode, value, text) => {
    verifies('U10')
    await withOperation({ parameters: [{ name: 'X-Part', in: 'header', explode, schema: {} }] })
    await call({ 'X-Part': value })
    expect(seen[0]!.headers['x-part']).toBe(text)
  })

  it('cookies, reserved characters, and values of a media type', async () => {
    verifies('U10')
    await withOperation({
      parameters: [
        { name: 'sid', in: 'cookie', schema: { type: 'string' } },
        { name: 'ids', in: 'cookie', explode: false, schema: { type: 'array' } },
        { name: 'free', in: 'query', allowReserved: true, schema: { type: 'string' } },
        { name: 'filter', in: 'query', content: { 'application/json': { schema: { type: 'object' } } } },
      ],
    })
    await call({ sid: 'x', ids: [1, 2], free: 'a/b?c', filter: { a: [1] } })
    expect(seen[0]!.headers.cookie).toBe('sid=x; ids=1,2')
    expect(seen[0]!.url).toBe('/v1/op?free=a/b?c&filter=%7B%22a%22%3A%5B1%5D%7D')
  })

  it.each([
    ['csv', '/v1/op?p=a,b'],
    ['ssv', '/v1/op?p=a%20b'],
    ['tsv', '/v1/op?p=a%09b'],
    ['pipes', '/v1/op?p=a|b'],
    ['multi', '/v1/op?p=a&p=b'],
  ])('lists of Swagger 2.0 as %s', async (collectionFormat, url) => {
    verifies('U10')
    const items = { type: 'string' }
    await withOperation(
      { parameters: [{ name: 'p', in: 'query', type: 'array', items, collectionFormat }] },
      {
        doc: {
          openapi: undefined,
          servers: undefined,
          swagger: '2.0',
          host,
          basePath: '/v1',
          schemes: ['http'],
        },
      },
    )
    await call({ p: ['a', 'b'] })
    expect(seen[0]!.url).toBe(url)
  })

  it.each([
    ['/op#Action=List', '/v1/op?q=1'],
    ['/op/{p}#uploads', '/v1/op/%24%26%2F..?q=1'],
    ['/op?Action=List&p={p}', '/v1/op?Action=List&p=%24%26%2F..&q=1'],
  ])('of a path written as %s stand in the request and not behind its end', async (path, url) => {
    verifies('U10')
    const text = { type: 'string' }
    await withOperation(
      {
        parameters: [
          { name: 'p', in: 'path', required: true, allowReserved: true, schema: text },
          { name: 'q', in: 'query', schema: { type: 'integer' } },
        ],
      },
      { path },
    )
    await call(path.includes('{p}') ? { p: '$&/..', q: 1 } : { q: 1 })
    expect(seen[0]!.url).toBe(url)
  })

  it('of the same name get their place in front, and the body is always "body"', async () => {
    verifies('U10')
    const text = { type: 'string' }
    await withOperation(
      {
        parameters: [
          { name: 'id', in: 'path', required: true, schema: text },
          { name: 'id', in: 'query', schema: text },
          { name: 'body', in: 'query', schema: text },
        ],
        requestBody: { required: true, content: { 'application/json': { schema: { type: 'object' } } } },
      },
      { path: '/op/{id}', method: 'post' },
    )
    expect(Object.keys(crib.find('echo/op').params!['properties'] as object)).toEqual([
      'path_id',
      'query_id',
      'query_body',
      'body',
    ])
    await call({ path_id: '1', query_id: '2', query_body: '3', body: { a: 1 } })
    expect(seen[0]).toMatchObject({ method: 'POST', url: '/v1/op/1?id=2&body=3', body: '{"a":1}' })
  })

  it.each(['.', '..', ''])('never leave the path: %j', async (p) => {
    await withOperation(
      { parameters: [{ name: 'p', in: 'path', required: true, schema: { type: 'string' } }] },
      { path: '/op/{p}' },
    )
    expect(await call({ p })).toMatchObject({ ok: false, error: { code: 'PARAMS_INVALID' } })
    expect(seen).toEqual([])
  })

  it('that would break a header are refused before anything is sent', async () => {
    await withOperation({ parameters: [{ name: 'X-A', in: 'header', schema: { type: 'string' } }] })
    expect(await call({ 'X-A': 'a\r\nHost: evil' })).toMatchObject({ error: { code: 'PARAMS_INVALID' } })
    expect(seen).toEqual([])
  })
})

describe('bodies', () => {
  const post = (content: object) =>
    withOperation({ requestBody: { required: true, content } }, { method: 'post' })

  it('of forms follow their encoding', async () => {
    verifies('U10')
    await post({
      'application/x-www-form-urlencoded': {
        schema: { type: 'object' },
        encoding: {
          tags: { style: 'form', explode: false },
          deep: { style: 'deepObject' },
          j: { contentType: 'application/json' },
        },
      },
    })
    await call({
      body: { name: 'a b', tags: ['x', 'y'], many: [1, 2], deep: { k: 'v' }, j: { a: 1 }, o: { b: 2 } },
    })
    expect(seen[0]!.headers['content-type']).toBe('application/x-www-form-urlencoded')
    expect(seen[0]!.body).toBe(
      'name=a+b&tags=x,y&many=1&many=2&deep[k]=v&j=%7B%22a%22%3A1%7D&o=%7B%22b%22%3A2%7D',
    )
  })

  it('of multipart carry files of the project and nothing outside it', async () => {
    verifies('U10')
    mkdirSync(join(root, 'data'))
    writeFileSync(join(root, 'data', 'a.bin'), Buffer.from([1, 2, 255]))
    await post({
      'multipart/form-data': {
        schema: {
          type: 'object',
          properties: {
            file: { type: 'string', format: 'binary' },
            note: { type: 'string' },
            meta: { type: 'object' },
          },
        },
      },
    })
    expect(await call({ body: { file: 'data/a.bin', note: 'hi', meta: { a: 1 } } })).toMatchObject({
      ok: true,
    })
    const boundary = /boundary=(.+)$/.exec(seen[0]!.headers['content-type']!)![1]
    expect(seen[0]!.body).toBe(
      `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\nContent-Type: application/octet-stream\r\n\r\n\x01\x02\xff\r\n` +
        `--${boundary}\r\nContent-Disposition: form-data; name="note"\r\n\r\nhi\r\n` +
        `--${boundary}\r\nContent-Disposition: form-data; name="meta"\r\nContent-Type: application/json\r\n\r\n{"a":1}\r\n` +
        `--${boundary}--\r\n`,
    )
    symlinkSync('../.toolcrib', join(root, 'data', 'state'))
    writeFileSync(join(root, '.toolcrib', 'token'), 'CANARY')
    for (const file of ['/etc/hostname', '../x', '.toolcrib/crib.db', 'data/state/token'])
      expect(await call({ body: { file } })).toMatchObject({ error: { code: 'PATH_OUTSIDE' } })
    expect(seen).toHaveLength(1)
  })

  it('are text where they are text, and a file where they are bytes', async () => {
    verifies('U10')
    await post({ 'text/plain': { schema: { type: 'string' } } })
    await call({ body: 'plain words' })
    expect(seen[0]).toMatchObject({ body: 'plain words', headers: { 'content-type': 'text/plain' } })
    await crib.close()
    writeFileSync(join(root, 'b.bin'), 'bytes')
    await post({ 'application/octet-stream': {} })
    await call({ body: 'b.bin' })
    expect(seen[1]).toMatchObject({ body: 'bytes', headers: { 'content-type': 'application/octet-stream' } })
  })

  it.each(['delete', 'get', 'options'])('of a %s arrive whole, and the next request too', async (method) => {
    verifies('U10')
    await withOperation(
      { requestBody: { content: { 'application/json': { schema: { type: 'object' } } } } },
      { method },
    )
    for (const n of [1, 2]) expect(await call({ body: { n } })).toMatchObject({ ok: true })
    expect(seen.map(({ body }) => body)).toEqual(['{"n":1}', '{"n":2}'])
  })

  it('of other text are written by whoever calls, whatever their schema tells', async () => {
    verifies('U10')
    await post({ 'application/xml': { schema: { type: 'object', properties: { a: { type: 'integer' } } } } })
    expect(await call({ body: { a: 1 } })).toMatchObject({ error: { code: 'PARAMS_INVALID' } })
    await call({ body: '<a>1</a>' })
    expect(seen[0]).toMatchObject({ body: '<a>1</a>', headers: { 'content-type': 'application/xml' } })
  })

  it.each([
    ['csv', 'l=a,b'],
    [undefined, 'l=a,b'],
    ['pipes', 'l=a|b'],
    ['multi', 'l=a&l=b'],
  ])('of Swagger 2.0 forms write lists as %s', async (collectionFormat, body) => {
    verifies('U10')
    const list = { name: 'l', in: 'formData', type: 'array', items: { type: 'string' }, collectionFormat }
    const doc = {
      openapi: undefined,
      servers: undefined,
      ...{ swagger: '2.0', host, basePath: '/v1', schemes: ['http'], consumes: ['application/json'] },
    }
    await withOperation({ parameters: [list] }, { method: 'post', doc })
    await call({ body: { l: ['a', 'b'] } })
    expect(seen[0]!.headers['content-type']).toBe('application/x-www-form-urlencoded')
    expect(seen[0]!.body).toBe(body)
    await crib.close()
    await withOperation({ parameters: [list], consumes: ['multipart/form-data'] }, { method: 'post', doc })
    await call({ body: { l: ['a', 'b'] } })
    const parts = seen[1]!.body.split(/--toolcrib-\w+(?:--)?\r\n/).filter(Boolean)
    expect(parts.map((part) => part.split('\r\n')[2])).toEqual(
      collectionFormat === 'multi' ? ['a', 'b'] : [body.slice(2)],
    )
  })

  it('of Swagger 2.0 come from body and formData', async () => {
    verifies('U10')
    const doc = {
      openapi: undefined,
      servers: undefined,
      swagger: '2.0',
      host,
      basePath: '/v1',
      schemes: ['http'],
    }
    await withOperation(
      { parameters: [{ name: 'pet', in: 'body', required: true, schema: { type: 'object' } }] },
      { method: 'post', doc },
    )
    await call({ body: { a: 1 } })
    expect(seen[0]).toMatchObject({ body: '{"a":1}', headers: { 'content-type': 'application/json' } })
    await crib.close()
    await withOperation(
      {
        parameters: [
          { name: 'n', in: 'formData', type: 'integer' },
          { name: 's', in: 'formData', type: 'string', required: true },
        ],
      },
      { method: 'post', doc },
    )
    expect(await call({ body: { n: 1 } })).toMatchObject({ error: { code: 'PARAMS_INVALID' } })
    await call({ body: { n: 1, s: 'x' } })
    expect(seen[1]).toMatchObject({ body: 'n=1&s=x' })
  })
})

describe('log-in', () => {
  const doc = (securitySchemes: object) => ({ components: { securitySchemes } })
  const security = [{ 'my key': [] }]

  it.each([
    [{ type: 'apiKey', in: 'header', name: 'X-Key' }, { headers: { 'x-key': 's:cret' } }],
    [{ type: 'apiKey', in: 'query', name: 'key' }, { url: '/v1/op?key=s%3Acret' }],
    [{ type: 'apiKey', in: 'cookie', name: 'key' }, { headers: { cookie: 'key=s:cret' } }],
    [{ type: 'http', scheme: 'bearer' }, { headers: { authorization: 'Bearer s:cret' } }],
    [{ type: 'http', scheme: 'Basic' }, { headers: { authorization: `Basic ${btoa('s:cret')}` } }],
    [{ type: 'oauth2', flows: {} }, { headers: { authorization: 'Bearer s:cret' } }],
  ])('with %o sends the secret ECHO_MY_KEY', async (scheme, expected) => {
    verifies('U11')
    await withOperation({ security }, { doc: doc({ 'my key': scheme }) })
    expect(crib.find('echo/op').secrets).toEqual(['ECHO_MY_KEY'])
    expect(await call()).toMatchObject({ ok: false, error: { code: 'SECRET_MISSING' } })
    await setSecret('ECHO_MY_KEY', 's:cret')
    expect(await call()).toMatchObject({ ok: true })
    expect(seen[0]).toMatchObject(expected)
  })

  it('of a client with its password is a token, renewed when it ends, and never the password itself', async () => {
    verifies('U11')
    const client = {
      client_id: 'bot',
      client_secret: 'the password of the bot',
      grant_types: ['client_credentials'],
    }
    const { idp } = await protectedServer({
      ttl: 600,
      clients: [{ ...client, redirect_uris: [], response_types: [] }],
    })
    const scheme = {
      type: 'oauth2',
      flows: { clientCredentials: { tokenUrl: `${idp.issuer}/token`, scopes: {} } },
    }
    await withOperation({ security }, { doc: doc({ 'my key': scheme }) })
    await setSecret('ECHO_MY_KEY', `bot:${client.client_secret}`)
    expect(await call()).toMatchObject({
      error: { code: 'CAPABILITY_DENIED', hint: expect.stringContaining(new URL(idp.issuer).host) },
    })
    await crib.close()
    await open({
      grants: { tools: { 'echo/*': [`net.http:${host}`, `net.http:${new URL(idp.issuer).host}`] } },
    })
    answer = ({ headers }, response) =>
      response
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify({ got: headers.authorization }))
    const calls = await Promise.all(Array.from({ length: 5 }, () => call()))
    for (const outcome of calls)
      expect(outcome).toMatchObject({ ok: true, value: { got: 'Bearer [secret:ECHO_MY_KEY]' } })
    expect(idp.grants).toEqual(['client_credentials'])
    later(3_600)
    expect(await call()).toMatchObject({ ok: true })
    expect(idp.grants).toHaveLength(2)
    // One that the API refuses before its time is asked for anew, once.
    const last = seen.at(-1)!.headers.authorization
    answer = ({ headers }, response) =>
      response
        .writeHead(headers.authorization === last ? 401 : 200, { 'content-type': 'application/json' })
        .end('{}')
    expect(await call()).toMatchObject({ ok: true })
    expect(idp.grants).toHaveLength(3)
    const sent = JSON.stringify(seen)
    expect(sent).not.toContain(client.client_secret)
    await setSecret('ECHO_MY_KEY', 'bot:wrong')
    later(3_600)
    expect(await call()).toMatchObject({
      error: { code: 'AUTH_REQUIRED', hint: expect.stringContaining('secrets set ECHO_MY_KEY') },
    })
    await setSecret('ECHO_MY_KEY', 'a-token-of-my-own')
    answer = (_request, response) => response.setHeader('content-type', 'application/json').end('{}')
    expect(await call()).toMatchObject({ ok: true })
    expect(seen.at(-1)!.headers.authorization).toBe('Bearer a-token-of-my-own')
  })

  it('of a person is the token of their log-in, once for all operations, renewed and forgotten', async () => {
    verifies('U11')
    const redirect = 'http://127.0.0.1:49381/callback'
    const { idp } = await protectedServer({
      ttl: 600,
      clients: [
        {
          client_id: 'crib',
          client_secret: 'the password of the crib',
          redirect_uris: [redirect],
          grant_types: ['authorization_code', 'refresh_token'],
          token_endpoint_auth_method: 'client_secret_post',
          application_type: 'native',
        },
      ],
    })
    const flow = {
      authorizationUrl: `${idp.issuer}/auth`,
      tokenUrl: `${idp.issuer}/token`,
      scopes: { openid: '', offline_access: '' },
    }
    const scheme = { type: 'oauth2', flows: { authorizationCode: flow } }
    const scoped = [{ 'my key': ['openid', 'offline_access'] }]
    await withOperation({ security: scoped }, { doc: doc({ 'my key': scheme }) })
    await crib.close()
    await open({
      grants: { tools: { 'echo/*': [`net.http:${host}`, `net.http:${new URL(idp.issuer).host}`] } },
    })
    const logIn = () =>
      crib.logins.logInTo('echo', libraryPrincipal, {
        signal: AbortSignal.timeout(20_000),
        port: Number(new URL(redirect).port),
        show: async (address) => {
          void logInAt(address, {})
          return true
        },
      })
    await expect(logIn()).rejects.toMatchObject({ code: 'SECRET_MISSING' })
    await setSecret('ECHO_MY_KEY', 'crib:the password of the crib')
    expect(await call()).toMatchObject({
      ok: false,
      error: { code: 'AUTH_REQUIRED', hint: 'Log in with `toolcrib login echo`.' },
    })
    expect(seen).toEqual([])
    expect(await logIn()).toMatchObject({ server: 'echo', state: 'logged-in' })
    answer = (_request, response) => response.setHeader('content-type', 'application/json').end('{}')
    expect(await call()).toMatchObject({ ok: true })
    const first = seen.at(-1)!.headers.authorization
    expect(first).toMatch(/^Bearer (?!crib:)/)
    later(3_600)
    const calls = await Promise.all(Array.from({ length: 5 }, () => call()))
    for (const outcome of calls) expect(outcome).toMatchObject({ ok: true })
    expect(idp.grants).toEqual(['authorization_code', 'refresh_token'])
    expect(seen.at(-1)!.headers.authorization).not.toBe(first)
    expect(await crib.logins.logOutOf('echo', libraryPrincipal)).toMatchObject({ state: 'logged-out' })
    expect(await call()).toMatchObject({ error: { code: 'AUTH_REQUIRED' } })
    expect(JSON.stringify(seen)).not.toContain('the password of the crib')
  })

  it('goes to no other host, neither by a redirect nor by a grant of everything', async () => {
    verifies('U11')
    await withOperation({ security }, { doc: doc({ 'my key': { type: 'http', scheme: 'bearer' } }) })
    await setSecret('ECHO_MY_KEY', 'geheim')
    const other = host.replace('127.0.0.1', 'localhost')
    answer = ({ headers }, response) =>
      headers.host === host
        ? response.writeHead(302, { location: `http://${other}/there` }).end()
        : response.setHeader('content-type', 'application/json').end('{}')
    await crib.close()
    await open({
      grants: { tools: { 'echo/*': [`net.http:${host}`, `net.http:localhost:${host.split(':')[1]}`] } },
    })
    expect(await call()).toMatchObject({ ok: true })
    expect(seen.map(({ headers }) => headers.authorization)).toEqual(['Bearer geheim', undefined])
    await crib.close()
    await open({ grants: { tools: { 'echo/*': ['net.http', 'net.http:10.0.0.1'] } } })
    expect(await call()).toMatchObject({
      error: { code: 'CAPABILITY_DENIED', hint: expect.stringContaining(host) },
    })
  })

  it('needs the grant of its host like every tool', async () => {
    verifies('U11')
    await withOperation({})
    expect(crib.find('echo/op').requires).toEqual([`net.http:${host}`])
    await crib.close()
    await open({ grants: { tools: {} } })
    expect(await call()).toMatchObject({
      error: { code: 'CAPABILITY_DENIED', hint: expect.stringContaining(`net.http:${host}`) },
    })
    await crib.close()
    await open({ grants: { tools: { 'echo/*': ['net.http'] } } })
    expect(await call()).toMatchObject({ error: { code: 'CAPABILITY_DENIED' } })
    expect(seen).toEqual([])
  })
})

describe('answers', () => {
  it('are the parsed body, with status and headers beside it', async () => {
    verifies('U12')
    await withOperation({})
    answer = (_r, response) =>
      response.writeHead(201, { 'content-type': 'application/json', 'x-rate': '7' }).end('[1]')
    expect(await call()).toMatchObject({ value: [1], meta: { status: 201, headers: { 'x-rate': '7' } } })
    answer = (_r, response) => response.writeHead(204).end()
    expect(await call()).toMatchObject({ ok: true, value: null })
    answer = (_r, response) => response.setHeader('content-type', 'text/plain').end('words')
    expect(await call()).toMatchObject({ value: 'words' })
    answer = (_r, response) => response.setHeader('content-type', 'image/png').end(Buffer.from([0, 1]))
    expect(await call()).toMatchObject({
      value: { content: [{ type: 'image', data: 'AAE=', mimeType: 'image/png' }] },
    })
  })

  it.each([
    [404, false],
    [429, true],
    [503, true],
    [500, false],
  ])('of status %i are failures, retryable: %s', async (status, retryable) => {
    verifies('U12')
    await withOperation({})
    answer = (_r, response) =>
      response
        .writeHead(status, { 'content-type': 'application/problem+json', 'retry-after': '2' })
        .end('{"why":"so"}')
    expect(await call()).toMatchObject({
      ok: false,
      error: {
        code: 'TOOL_FAILED',
        retryable,
        details: { status, body: { why: 'so' }, retryAfterMs: 2_000 },
      },
    })
  })

  it('in pages are joined by Link, by cursor and by number, as many as asked for', async () => {
    verifies('U12')
    await withOperation({ parameters: [{ name: 'page', in: 'query', schema: { type: 'integer' } }] })
    const json = (response: ServerResponse, value: unknown) =>
      response.setHeader('content-type', 'application/json').end(JSON.stringify(value))
    answer = ({ url }, response) => {
      const page = Number(/page=(\d+)/.exec(url)?.[1] ?? 1)
      json(response, page > 3 ? [] : [page])
    }
    expect(await call({ pages: 2 })).toMatchObject({ value: [1, 2], meta: { pages: 2 } })
    expect(await call({ pages: 10 })).toMatchObject({ value: [1, 2, 3] })
    expect(await call()).toMatchObject({ value: [1] })
    answer = ({ url }, response) => {
      if (!url.includes('next'))
        response.setHeader('link', `<http://${host}/next>; rel="next", <http://${host}/x>; rel="last"`)
      json(response, { items: [url.includes('next') ? 2 : 1], total: 2 })
    }
    expect(await call({ pages: 5, page: 1 })).toMatchObject({
      value: { items: expect.arrayContaining([1, 2]), total: 2 },
    })
    await crib.close()
    await withOperation({ parameters: [{ name: 'cursor', in: 'query', schema: { type: 'string' } }] })
    answer = ({ url }, response) =>
      json(response, url.includes('cursor=c2') ? { data: [2] } : { data: [1], meta: { next_cursor: 'c2' } })
    expect(await call({ pages: 3 })).toMatchObject({ value: { data: [1, 2] } })
  })

  it('that lead pages to another origin end there', async () => {
    await withOperation({ parameters: [{ name: 'cursor', in: 'query', schema: { type: 'string' } }] })
    answer = (_r, response) =>
      response
        .writeHead(200, { 'content-type': 'application/json', link: '<http://169.254.169.254/>; rel="next"' })
        .end('{"data":[1]}')
    expect(await call({ pages: 3 })).toMatchObject({ value: { data: [1] } })
    expect(seen).toHaveLength(1)
  })
})

it('shows in a dry run the request with placeholders, and sends nothing', async () => {
  verifies('U11')
  await withOperation(
    { security: [{ k: [] }], parameters: [{ name: 'q', in: 'query', schema: {} }] },
    { doc: { components: { securitySchemes: { k: { type: 'apiKey', in: 'query', name: 'key' } } } } },
  )
  await setSecret('ECHO_K', 'geheim')
  expect(await crib.dryRun('echo/op', { q: 1 })).toMatchObject({
    runtime: 'openapi',
    plan: { method: 'GET', url: `http://${host}/v1/op?q=1&key=%7B%7Bsecret%3AECHO_K%7D%7D` },
  })
  expect(seen).toEqual([])
})
