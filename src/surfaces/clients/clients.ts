// Where each MCP client keeps its servers, and how an entry is written there.
import { homedir, platform } from 'node:os'
import { join } from 'node:path'
import type { JsonObject } from '../../tool/json.ts'

/** How a client reaches a server. */
export type ServerStart =
  | {
      readonly command: string
      readonly args: readonly string[]
      readonly env?: { readonly [name: string]: string }
    }
  | { readonly url: string; readonly headers: { readonly [name: string]: string } }

export interface Client {
  readonly title: string
  readonly syntax: 'json' | 'toml' | 'yaml'
  /** Where the map of servers stands in the file. */
  readonly path: readonly string[]
  /** The file of a project, relative to its folder; absent: the client has none. */
  readonly project?: string
  /** The user's own file. */
  user(home: string, system: NodeJS.Platform): string
  entry(server: ServerStart, name: string): JsonObject
  /** It takes the address of a server. */
  readonly takesHttp: boolean
  /** How its file names a variable of the environment; absent: it does not. */
  variable?(name: string): string
  /** What to do after the file was written. */
  readonly next: string
}

const plain = (server: ServerStart): JsonObject =>
  'url' in server
    ? { url: server.url, headers: server.headers }
    : { command: server.command, args: [...server.args], ...(server.env ? { env: server.env } : {}) }

const typed = (server: ServerStart): JsonObject => ({
  type: 'url' in server ? 'http' : 'stdio',
  ...plain(server),
})

const applications = (home: string, system: NodeJS.Platform): string => {
  if (system === 'darwin') return join(home, 'Library/Application Support')
  return system === 'win32'
    ? (process.env['APPDATA'] ?? join(home, 'AppData/Roaming'))
    : join(home, '.config')
}

const restart = (title: string) => `Restart ${title}, or reload its MCP servers.`

export const clients: { readonly [name: string]: Client } = {
  claude: {
    title: 'Claude Desktop',
    syntax: 'json',
    path: ['mcpServers'],
    user: (home, system) => join(applications(home, system), 'Claude/claude_desktop_config.json'),
    entry: plain,
    takesHttp: false,
    next: restart('Claude Desktop'),
  },
  'claude-code': {
    title: 'Claude Code',
    syntax: 'json',
    path: ['mcpServers'],
    project: '.mcp.json',
    user: (home) => join(home, '.claude.json'),
    entry: typed,
    takesHttp: true,
    variable: (name) => `\${${name}}`,
    next: 'Start claude in this folder and approve the server; /mcp shows it.',
  },
  cursor: {
    title: 'Cursor',
    syntax: 'json',
    path: ['mcpServers'],
    project: '.cursor/mcp.json',
    user: (home) => join(home, '.cursor/mcp.json'),
    entry: plain,
    takesHttp: true,
    variable: (name) => `\${env:${name}}`,
    next: 'Cursor shows it under Settings, MCP; turn it on there.',
  },
  vscode: {
    title: 'VS Code',
    syntax: 'json',
    path: ['servers'],
    project: '.vscode/mcp.json',
    user: (home, system) => join(applications(home, system), 'Code/User/mcp.json'),
    entry: typed,
    takesHttp: true,
    variable: (name) => `\${env:${name}}`,
    next: 'Start it with the line above the entry in the file, or with "MCP: List Servers".',
  },
  zed: {
    title: 'Zed',
    syntax: 'json',
    path: ['context_servers'],
    project: '.zed/settings.json',
    user: (home) => join(home, '.config/zed/settings.json'),
    entry: plain,
    takesHttp: true,
    next: 'Zed starts it when the file is saved; the agent panel shows it.',
  },
  codex: {
    title: 'Codex',
    syntax: 'toml',
    path: ['mcp_servers'],
    project: '.codex/config.toml',
    user: (home) => join(home, '.codex/config.toml'),
    entry: (server) => ('url' in server ? codexAddress(server) : plain(server)),
    takesHttp: true,
    variable: (name) => name,
    next: 'Start codex in this folder (it reads the file of a trusted project); /mcp shows it.',
  },
  windsurf: {
    title: 'Windsurf',
    syntax: 'json',
    path: ['mcpServers'],
    user: (home) => join(home, '.codeium/windsurf/mcp_config.json'),
    entry: (server) => ('url' in server ? { serverUrl: server.url, headers: server.headers } : plain(server)),
    takesHttp: true,
    variable: (name) => `\${env:${name}}`,
    next: restart('Windsurf'),
  },
  goose: {
    title: 'goose',
    syntax: 'yaml',
    path: ['extensions'],
    user: (home, system) =>
      system === 'win32'
        ? join(applications(home, system), 'Block/goose/config/config.yaml')
        : join(home, '.config/goose/config.yaml'),
    entry: (server, name) => ({
      enabled: true,
      name,
      timeout: 300,
      ...('url' in server
        ? { type: 'streamable_http', uri: server.url, headers: server.headers }
        : { type: 'stdio', cmd: server.command, args: [...server.args], envs: server.env ?? {} }),
    }),
    takesHttp: true,
    next: 'Start a new goose session.',
  },
  'gemini-cli': {
    title: 'Gemini CLI',
    syntax: 'json',
    path: ['mcpServers'],
    project: '.gemini/settings.json',
    user: (home) => join(home, '.gemini/settings.json'),
    entry: (server) => ('url' in server ? { httpUrl: server.url, headers: server.headers } : plain(server)),
    takesHttp: true,
    variable: (name) => `\${${name}}`,
    next: 'Start gemini in this folder; /mcp shows it.',
  },
  cline: {
    title: 'Cline',
    syntax: 'json',
    path: ['mcpServers'],
    user: (home, system) =>
      join(
        applications(home, system),
        'Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json',
      ),
    entry: (server) => ('url' in server ? { type: 'streamableHttp', ...plain(server) } : plain(server)),
    takesHttp: true,
    next: restart('Cline'),
  },
}

/** Codex reads a bearer token from a variable, and other headers as they stand. */
function codexAddress({ url, headers }: Extract<ServerStart, { url: string }>): JsonObject {
  const variable = /^Bearer ([A-Z_]+)$/.exec(headers['Authorization'] ?? '')?.[1]
  return variable === undefined ? { url, http_headers: headers } : { url, bearer_token_env_var: variable }
}

export const clientNames = Object.keys(clients)

/** The file to write: the project's where the client has one, unless the user's is wanted. */
export function clientFile(
  client: Client,
  {
    root,
    isUsers,
    home = homedir(),
  }: { readonly root: string; readonly isUsers: boolean; readonly home?: string },
): string {
  const { project } = client
  return project === undefined || isUsers ? client.user(home, platform()) : join(root, project)
}
