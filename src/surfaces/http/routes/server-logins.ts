// Log-ins to foreign MCP servers from the console: a page of the identity provider is opened, and sends the person back
// to this server (U4).
import type { Crib } from '../../../crib/crib.ts'
import { specOf } from '../../../formats/mcp/server-tool.ts'
import { callbackPage } from '../../../secrets/logins/callback-page.ts'
import { sha256 } from '../../../tool/json.ts'
import type { Principal } from '../../../tool/principal.ts'
import { t } from '../../../tool/shape.ts'
import { ToolError } from '../../../tool/tool-error.ts'
import { admin, anybody, anyToken } from '../access.ts'
import { json, Reply, type Route, route } from '../route.ts'
import { serverLoginShape } from '../server-login-shape.ts'

const callbackPath = '/login/callback'
const path = '/api/servers/:name/login'
const params = { name: 'The MCP server, by its name in .mcp.json or mcp.servers.' }

export const serverLoginRoutes: readonly Route[] = [
  route({
    id: 'loginState',
    method: 'get',
    path,
    summary: 'Whether this token is logged in to an MCP server',
    access: anyToken,
    params,
    answers: { 200: json('The log-in', serverLoginShape) },
    handle({ params: { name }, principal }, { crib }) {
      mayLogIn(crib, name, principal)
      return crib.logins.stateOf(name, principal)
    },
  }),
  route({
    id: 'login',
    method: 'post',
    path,
    summary: 'Logs in to an MCP server that wants it',
    description:
      'Gives the address of the page to log in at, for the browser that asked. For admins, and for everybody where each user has a log-in of their own.',
    access: anyToken,
    params,
    answers: { 200: json('Where to log in', serverLoginShape) },
    isPrivate: true,
    async handle({ params: { name }, principal, request }, { crib, oauth }) {
      mayLogIn(crib, name, principal)
      const base = oauth.baseUrl(request)
      const begun = await crib.logins.begin(name, principal, `${base}${callbackPath}`)
      if (!('address' in begun)) return begun
      const { server, address: url, flow } = begun
      const secure = base.startsWith('https:') ? '; Secure' : ''
      const cookie = `${cookieOf(flow)}=1; Path=/login; HttpOnly; SameSite=Lax; Max-Age=600${secure}`
      return new Reply({ server, state: 'waiting' as const, url }, { 'set-cookie': cookie })
    },
  }),
  route({
    id: 'logout',
    method: 'delete',
    path,
    summary: 'Forgets the log-in to an MCP server and has it revoked',
    access: anyToken,
    params,
    answers: { 200: json('The log-in', serverLoginShape) },
    async handle({ params: { name }, principal }, { crib }) {
      mayLogIn(crib, name, principal)
      const { server, state } = await crib.logins.logOutOf(name, principal)
      return { server, state }
    },
  }),
  route({
    id: 'loginCallback',
    method: 'get',
    path: callbackPath,
    summary: 'Where an identity provider sends somebody back to',
    access: anybody,
    answers: { 200: { description: 'A page', content: { 'text/html': t.text() } } },
    async handle({ request }, { crib }) {
      const callback = new URL(request.url).searchParams
      const page = await finish(crib, request, callback).then(
        ({ name }) => callbackPage({ server: name }),
        (error: unknown) => callbackPage({ error }),
      )
      return new Response(page.body, { status: page.status, headers: { ...page.headers } })
    },
  }),
]

/** A log-in that everybody uses is an admin's to make. */
function mayLogIn(crib: Crib, name: string, principal: Principal): void {
  const server = crib.catalog.tools.find((tool) => specOf(tool)?.name === name)
  const isOwn = server !== undefined && specOf(server)!.auth?.per === 'user'
  if (!isOwn) admin('log in to servers').check!(principal)
}

/** Only the browser that began it may end it: nobody is led to log in for somebody else. */
async function finish(crib: Crib, request: Request, callback: URLSearchParams) {
  const name = cookieOf(callback.get('state') ?? '')
  const cookies = (request.headers.get('cookie') ?? '').split(/;\s*/)
  if (cookies.includes(`${name}=1`)) return crib.logins.finish(callback)
  throw new ToolError('FORBIDDEN', 'This browser did not begin the log-in.')
}

function cookieOf(flow: string): string {
  return `toolcrib-login-${sha256(flow).slice(0, 16)}`
}
