// Copy-paste blocks for MCP clients. Each starts `toolcrib mcp` itself, so no token is needed.
import { nearNames } from '../../tool/near-names.ts'
import { UsageError } from './command.ts'
import { shellQuoted } from './shell-quoted.ts'

interface Client {
  /** Where the block goes. */
  readonly file: string
  block(command: string, args: readonly string[]): string
}

const servers = (command: string, args: readonly string[]) =>
  JSON.stringify({ mcpServers: { toolcrib: { command, args } } }, null, 2)

const clients: { readonly [name: string]: Client } = {
  claude: { file: 'claude_desktop_config.json', block: servers },
  'claude-desktop': { file: 'claude_desktop_config.json', block: servers },
  'gemini-cli': { file: '~/.gemini/settings.json', block: servers },
  cline: { file: 'cline_mcp_settings.json', block: servers },
  'claude-code': {
    file: 'a terminal',
    block: (command, args) => `claude mcp add toolcrib -- ${[command, ...args].map(shellQuoted).join(' ')}`,
  },
  cursor: { file: '~/.cursor/mcp.json', block: servers },
  windsurf: { file: '~/.codeium/windsurf/mcp_config.json', block: servers },
  vscode: {
    file: '.vscode/mcp.json',
    block: (command, args) =>
      JSON.stringify({ servers: { toolcrib: { type: 'stdio', command, args } } }, null, 2),
  },
  zed: {
    file: '~/.config/zed/settings.json',
    block: (command, args) =>
      JSON.stringify({ context_servers: { toolcrib: { source: 'custom', command, args } } }, null, 2),
  },
  codex: {
    file: '~/.codex/config.toml',
    block: (command, args) =>
      `[mcp_servers.toolcrib]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}`,
  },
}

/** The block for a client, and where it goes. */
export function clientConfig(name: string, root: string): { readonly block: string; readonly file: string } {
  const client = Object.hasOwn(clients, name) ? clients[name] : undefined
  if (client) return { block: client.block('npx', ['-y', 'toolcrib', 'mcp', '-C', root]), file: client.file }
  const near = nearNames(name, Object.keys(clients), 1)
  throw new UsageError(
    `There is no block for "${name}".`,
    near.length > 0
      ? `Did you mean "${near[0]}"?`
      : `There are blocks for ${Object.keys(clients).join(', ')}.`,
  )
}
