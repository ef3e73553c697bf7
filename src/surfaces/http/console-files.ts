// The web console's files as built into dist/console; without a build, a plain page that lists the tools.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'
import { systemSpace } from '../../config/spaces.ts'
import { isInside } from '../../files/is-inside.ts'
import { accepts } from './compression.ts'
import { HttpProblem } from './problem-json.ts'

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
  '.png': 'image/png',
}

/** The encodings that the build makes of each text, the smallest first. */
const encodings: readonly (readonly [encoding: string, ending: string])[] = [
  ['br', '.br'],
  ['gzip', '.gz'],
]

/** One file of the console; its paths are fixed at build time, so nothing outside its folder is reachable. */
export function consoleFile(request: Request): Response {
  const path = new URL(request.url).pathname
  const folder = join(dirname(systemSpace()), 'dist', 'console')
  const file = join(folder, path === '/' ? 'index.html' : path)
  if (!isInside(file, folder)) throw notThere(path)
  const type = types[extname(file)] ?? 'application/octet-stream'
  for (const [encoding, ending] of encodings) {
    const bytes = accepts(request, encoding) ? bytesOf(`${file}${ending}`) : null
    if (bytes) return fileResponse(bytes, path, { 'content-type': type, 'content-encoding': encoding })
  }
  const bytes = bytesOf(file)
  if (!bytes && path !== '/') throw notThere(path)
  return bytes
    ? fileResponse(bytes, path, { 'content-type': type })
    : fileResponse(Buffer.from(page), path, { 'content-type': types['.html']! })
}

function bytesOf(file: string): Buffer | null {
  try {
    return readFileSync(file)
  } catch {
    return null
  }
}

function fileResponse(bytes: Buffer, path: string, headers: { readonly [name: string]: string }): Response {
  return new Response(new Uint8Array(bytes), {
    headers: {
      ...headers,
      vary: 'accept-encoding',
      'content-security-policy': policy,
      'referrer-policy': 'no-referrer',
      'cache-control': path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
    },
  })
}

function notThere(path: string): HttpProblem {
  return new HttpProblem('ROUTE_NOT_FOUND', `There is nothing at GET ${path}.`)
}

const script = `
const list = document.querySelector('ul')
const note = document.querySelector('#note')
const token = new URLSearchParams(location.hash.slice(1)).get('token')
if (!token) note.textContent = 'Open this page with the link that toolcrib serve printed; it carries the token.'
else fetch('/api/tools', { headers: { authorization: 'Bearer ' + token } })
  .then(async (answer) => {
    if (!answer.ok) throw new Error((await answer.json()).detail)
    const { tools, problems } = await answer.json()
    note.textContent = tools.length + ' tools, ' + problems.length + ' problems'
    for (const tool of tools) {
      const item = document.createElement('li')
      const name = document.createElement('code')
      name.textContent = tool.id
      item.append(name, ' ' + tool.description)
      list.append(item)
    }
  })
  .catch((error) => { note.textContent = error.message })
`

const style =
  'body { font: 16px/1.5 system-ui; max-width: 48rem; margin: 2rem auto; padding: 0 1rem } li { margin: .25rem 0 }'

const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Toolcrib</title>
<style>${style}</style>
<h1>Toolcrib</h1>
<p>The server runs; the web console is not part of this build. Tools are served at <code>/mcp</code> (MCP) and <code>/api/tools</code> (HTTP).</p>
<p id="note">Loading the tools.</p>
<ul></ul>
<script>${script}</script>
</html>
`

/** Nothing from elsewhere, nothing inline but the two texts of the plain page, no frames, no forms. */
const policy = [
  "default-src 'none'",
  `script-src 'self' ${hashOf(script)}`,
  `style-src 'self' ${hashOf(style)}`,
  "font-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}
