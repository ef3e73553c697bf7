// A real identity provider on loopback (oidc-provider), a person who logs in there with nothing but HTTP, and an MCP
// server that lets in whoever brings a token of it. Each can be told to misbehave.
import { createServer } from 'node:http'
import { createLocalJWKSet, exportJWK, generateKeyPair, jwtVerify } from 'jose'

const day = 86_400
let signingKey

async function makeKey() {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  return { ...(await exportJWK(privateKey)), kid: 'k', alg: 'RS256', use: 'sig' }
}

/** Tokens last `ttl` seconds. */
export async function startIdentityProvider({ ttl = 3600, clients = [] } = {}) {
  const { Provider } = await quietly(() => import('oidc-provider'))
  signingKey ??= makeKey()
  const key = await signingKey
  const idp = { mode: 'well', audience: undefined, ttl, requests: [], grants: [] }
  let handle
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, 'http://x')
    idp.requests.push(`${request.method} ${pathname}`)
    const isAsked = pathname === '/token' || pathname.startsWith('/.well-known/')
    if (isAsked && idp.mode === 'down') return request.socket.destroy()
    if (isAsked && idp.mode === 'slow') return undefined
    if (isAsked && idp.mode === 'nonsense') return response.end('<h1>Welcome</h1>')
    if (isAsked && idp.mode === 'broken') return response.writeHead(503).end('later')
    if (isAsked && idp.mode === 'endless') return pour(response)
    if (isAsked && idp.mode === 'elsewhere')
      return response.writeHead(307, { location: `${idp.other}${pathname}` }).end()
    if (pathname.startsWith('/.well-known/') && idp.mode === 'wrong-issuer')
      return response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ ...metadataOf(idp.issuer), issuer: 'https://idp.example' }))
    return handle(request, response)
  })
  idp.issuer = `http://127.0.0.1:${await listen(server)}`
  const provider = await quietly(
    () =>
      new Provider(idp.issuer, {
        clients,
        jwks: { keys: [key] },
        cookies: { keys: ['a key for tests'] },
        pkce: { required: () => true },
        scopes: ['openid', 'offline_access'],
        ttl: {
          Session: day,
          Grant: day,
          Interaction: day,
          IdToken: day,
          RefreshToken: day,
          AccessToken: () => idp.ttl,
          ClientCredentials: () => idp.ttl,
        },
        rotateRefreshToken: true,
        features: {
          registration: { enabled: true },
          revocation: {
            enabled: true,
            allowedPolicy: async (_context, client, token) => token.clientId === client.clientId,
          },
          clientCredentials: { enabled: true },
          resourceIndicators: {
            enabled: true,
            useGrantedResource: () => true,
            getResourceServerInfo: (_context, resource) => ({
              scope: 'tools more',
              audience: idp.audience ?? resource,
              accessTokenTTL: idp.ttl,
              accessTokenFormat: 'jwt',
              jwt: { sign: { alg: 'RS256' } },
            }),
          },
        },
        findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
      }),
  )
  provider.on('grant.success', ({ oidc }) => idp.grants.push(oidc.params.grant_type))
  provider.on('grant.revoked', () => idp.grants.push('revoked'))
  provider.on('server_error', (_context, error) => idp.requests.push(`error ${error.message}`))
  handle = provider.callback()
  const { kty, n, e, kid, alg } = key
  const keys = createLocalJWKSet({ keys: [{ kty, n, e, kid, alg }] })
  return Object.assign(idp, {
    provider,
    verify: (token, audience) => jwtVerify(token, keys, { issuer: idp.issuer, audience }),
    refreshes: () => idp.grants.filter((grant) => grant === 'refresh_token').length,
    close: () => stop(server),
  })
}

/** The library says on the console that its defaults are for development, and that it would rather have a newer Node. */
async function quietly(make) {
  const { info, warn } = console
  console.info = console.warn = () => {}
  try {
    return await make()
  } finally {
    Object.assign(console, { info, warn })
  }
}

function metadataOf(issuer) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/auth`,
    token_endpoint: `${issuer}/token`,
    response_types_supported: ['code'],
  }
}

/** A person: goes where they are sent, signs in, agrees; gives the page they end on. */
export async function logInAt(address, { name = 'ada', agrees = true, cookie: own } = {}) {
  const cookies = new Map(own ? [/^([^=]+)=([^;]*)/.exec(own).slice(1)] : [])
  let request = { url: new URL(address), init: {} }
  for (let step = 0; step < 20; step++) {
    const { url, init } = request
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ')
    const response = await fetch(url, { ...init, redirect: 'manual', headers: { ...init.headers, cookie } })
    for (const line of response.headers.getSetCookie()) {
      const [, key, value] = /^([^=]+)=([^;]*)/.exec(line)
      cookies.set(key, value)
    }
    const to = response.headers.get('location')
    const text = await response.text()
    if (to) {
      request = { url: new URL(to, url), init: {} }
      continue
    }
    const form = /<form[^>]*action="([^"]+)"/.exec(text)?.[1]
    const prompt = /name="prompt" value="(\w+)"/.exec(text)?.[1]
    if (!form || !prompt) return { url: url.href, status: response.status, text }
    if (prompt === 'consent' && !agrees) {
      request = { url: new URL(`${url.pathname}/abort`, url), init: {} }
      continue
    }
    const body = new URLSearchParams(prompt === 'login' ? { prompt, login: name, password: 'x' } : { prompt })
    request = { url: new URL(form, url), init: { method: 'POST', body } }
  }
  throw new Error('The log-in does not end.')
}

const tools = [
  { name: 'whoami', description: 'Says whose token it got', inputSchema: { type: 'object' } },
  { name: 'tell', description: 'Gives away its token', inputSchema: { type: 'object' } },
  { name: 'more', description: 'Needs a further scope', inputSchema: { type: 'object' } },
]

/** An MCP server that wants tokens of the provider. */
export async function startProtectedServer(idp) {
  const state = {
    mode: 'well',
    resource: undefined,
    authorizationServers: undefined,
    calls: 0,
    seen: [],
    refused: new Set(),
  }
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, 'http://x')
    state.seen.push({ method: request.method, path: pathname, authorization: request.headers.authorization })
    const json = (status, value, headers = {}) =>
      response
        .writeHead(status, { 'content-type': 'application/json', ...headers })
        .end(JSON.stringify(value))
    if (pathname === '/.well-known/oauth-protected-resource/mcp')
      return json(200, {
        resource: state.resource ?? state.url,
        authorization_servers: state.authorizationServers ?? [idp.issuer],
        scopes_supported: ['tools'],
      })
    if (pathname !== '/mcp') return json(404, {})
    if (state.mode === 'elsewhere') return response.writeHead(307, { location: state.other }).end()
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1]
    const claims = token && !state.refused.has(token) ? await accepted(token) : undefined
    if (!claims)
      return json(
        401,
        {},
        {
          'www-authenticate': `Bearer resource_metadata="${new URL('/.well-known/oauth-protected-resource/mcp', state.url)}"`,
        },
      )
    if (request.method !== 'POST') return json(405, {})
    const { id, method, params } = JSON.parse(await bodyOf(request))
    if (id === undefined) return response.writeHead(202).end()
    if (method === 'tools/call' && params.name === 'more' && !`${claims.scope}`.split(' ').includes('more'))
      return json(403, {}, { 'www-authenticate': 'Bearer error="insufficient_scope", scope="tools more"' })
    if (method === 'tools/call') state.calls++
    const said = params?.name === 'tell' ? `the token is ${token}` : (claims.sub ?? claims.client_id)
    const result =
      method === 'initialize'
        ? {
            protocolVersion: params.protocolVersion,
            capabilities: { tools: {} },
            serverInfo: { name: 'p', version: '1' },
          }
        : method === 'tools/list'
          ? { tools }
          : method === 'tools/call'
            ? { content: [{ type: 'text', text: said }] }
            : undefined
    return json(200, {
      jsonrpc: '2.0',
      id,
      ...(result ? { result } : { error: { code: -32601, message: 'no' } }),
    })
  })
  const accepted = async (token) => {
    if (state.fixedToken !== undefined) return token === state.fixedToken ? { sub: 'fixed' } : undefined
    try {
      return (await idp.verify(token, state.url)).payload
    } catch {
      return undefined
    }
  }
  state.url = `http://127.0.0.1:${await listen(server)}/mcp`
  return Object.assign(state, { close: () => stop(server) })
}

/** A server that only writes down what it is sent. */
export async function startCatcher() {
  const seen = []
  const server = createServer(async (request, response) => {
    seen.push({ path: request.url, headers: request.headers, body: await bodyOf(request) })
    response.writeHead(404).end()
  })
  const url = `http://127.0.0.1:${await listen(server)}`
  return { url, seen, close: () => stop(server) }
}

async function bodyOf(request) {
  let text = ''
  for await (const chunk of request) text += chunk
  return text
}

function pour(response) {
  const chunk = 'x'.repeat(65_536)
  const more = () => {
    while (!response.destroyed && response.write(chunk));
  }
  response.on('drain', more)
  more()
}

function listen(server) {
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server.address().port)))
}

function stop(server) {
  server.closeAllConnections()
  return new Promise((resolve) => server.close(resolve))
}
