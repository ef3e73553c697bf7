// Copy-paste blocks for MCP clients. Most clients start `toolcrib mcp` themselves, so that no token is needed; over HTTP
// they share a running `toolcrib serve`, and the reader puts the token in.
import { nearNames } from '../../tool/near-names.ts'
import { UsageError } from './command.ts'
import { shellQuoted } from './shell-quoted.ts'

interface Client {
  /** Where the block goes. */
  readonly file: string
  stdio(command: string, args: readonly string[]): string
  /** Absent: the client starts its servers itself. */
  http?(url: string): string
}

export interface ClientConfig {
  readonly block: string
  /** Where it goes, and what is left to do. */
  readonly note: string
}

const authorization = 'Bearer <token>'
const json = (value: object) => JSON.stringify(value, null, 2)
const stdio: Client['stdio'] = (command, args) => json({ mcpServers: { toolcrib: { command, args } } })
/** A block with `mcpServers`, whose entries clients spell in their own ways. */
const http = (address: 'url' | 'httpUrl' | 'serverUrl', more: object = {}) => ({
  http: (url: string) =>
    json({
      mcpServers: { toolcrib: { ...more, [address]: url, headers: { Authorization: authorization } } },
    }),
})

const clients: { readonly [name: string]: Client } = {
  claude: { file: 'claude_desktop_config.json', stdio },
  'claude-desktop': { file: 'claude_desktop_config.json', stdio },
  'gemini-cli': { file: '~/.gemini/settings.json', stdio, ...http('httpUrl') },
  cline: { file: 'cline_mcp_settings.json', stdio, ...http('url', { type: 'streamableHttp' }) },
  'claude-code': {
    file: 'a terminal',
    stdio: (command, args) => `claude mcp add toolcrib -- ${[command, ...args].map(shellQuoted).join(' ')}`,
    http: (url) =>
      `claude mcp add --transport http toolcrib ${shellQuoted(url)} --header ${shellQuoted(`Authorization: ${authorization}`)}`,
  },
  cursor: { file: '~/.cursor/mcp.json', stdio, ...http('url') },
  windsurf: { file: '~/.codeium/windsurf/mcp_config.json', stdio, ...http('serverUrl') },
  vscode: {
    file: '.vscode/mcp.json',
    stdio: (command, args) => json({ servers: { toolcrib: { type: 'stdio', command, args } } }),
    http: (url) =>
      json({ servers: { toolcrib: { type: 'http', url, headers: { Authorization: authorization } } } }),
  },
  zed: {
    file: '~/.config/zed/settings.json',
    stdio: (command, args) => json({ context_servers: { toolcrib: { source: 'custom', command, args } } }),
    http: (url) =>
      json({ context_servers: { toolcrib: { url, headers: { Authorization: authorization } } } }),
  },
  codex: {
    file: '~/.codex/config.toml',
    stdio: (command, args) =>
      `[mcp_servers.toolcrib]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}`,
    http: (url) =>
      `[mcp_servers.toolcrib]\nurl = ${JSON.stringify(url)}\nhttp_headers = { "Authorization" = "${authorization}" }`,
  },
}

/** The block with which a client starts the crib's server itself; `program` is the file of this command line. */
export function stdioConfig(name: string, root: string, program: string): ClientConfig {
  const client = clientNamed(name)
  // The cache of npx comes and goes; any other place is where Toolcrib will be found again.
  const [command, ...args] = program.includes('/_npx/') ? ['npx', '-y', 'toolcrib'] : ['node', program]
  return { block: client.stdio(command!, [...args, 'mcp', '-C', root]), note: `For ${client.file}.` }
}

/** The block with which a client uses a crib that is served; `url` is that of its MCP endpoint. */
export function httpConfig(name: string, url: string, tokenFile: string): ClientConfig {
  const client = clientNamed(name)
  if (!client.http)
    throw new UsageError(
      `"${name}" takes no address in its configuration file.`,
      'Leave --http away: it starts the server itself.',
    )
  return {
    block: client.http(url),
    note: `For ${client.file}. Put the token in place of <token>: the one in ${tokenFile}, or a narrower one of \`toolcrib tokens new\`.`,
  }
}

function clientNamed(name: string): Client {
  const client = Object.hasOwn(clients, name) ? clients[name] : undefined
  if (client) return client
  const near = nearNames(name, Object.keys(clients), 1)
  throw new UsageError(
    `There is no block for "${name}".`,
    near.length > 0
      ? `Did you mean "${near[0]}"?`
      : `There are blocks for ${Object.keys(clients).join(', ')}.`,
  )
}
