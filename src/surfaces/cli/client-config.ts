// Copy-paste blocks for MCP clients. Most clients start `toolcrib mcp` themselves, so that no token is needed; over HTTP
// they share a running `toolcrib serve`, and the reader puts the token in.
import { basename } from 'node:path'
import { nearNames } from '../../tool/near-names.ts'
import { type Client, clientNames, clients, type ServerStart } from '../clients/clients.ts'
import { withServer } from '../clients/edit-servers.ts'
import { UsageError } from './command.ts'
import { shellQuoted } from './shell-quoted.ts'

export interface ClientConfig {
  readonly block: string
  /** Where it goes, and what is left to do. */
  readonly note: string
}

const authorization = 'Bearer <token>'

/** What starts this program again: the running node and its file, or npx where that file is in npx's cache. */
export function ownStart(program: string, node = process.execPath): readonly string[] {
  // The cache of npx comes and goes; any other place is where Toolcrib will be found again.
  return program.includes('/_npx/') ? ['npx', '-y', 'toolcrib'] : [node, program]
}

/** The block with which a client starts the crib's server itself; `program` is the file of this command line. */
export function stdioConfig(name: string, root: string, program: string): ClientConfig {
  const client = clientNamed(name)
  const [command, ...args] = ownStart(program, 'node')
  const words = [...args, 'mcp', '-C', root]
  if (client === clients['claude-code'])
    return {
      block: `claude mcp add toolcrib -- ${[command!, ...words].map(shellQuoted).join(' ')}`,
      note: 'For a terminal.',
    }
  return { block: blockOf(client, { command: command!, args: words }), note: `For ${placeOf(client)}.` }
}

/** The block with which a client uses a crib that is served; `url` is that of its MCP endpoint. */
export function httpConfig(name: string, url: string, tokenFile: string): ClientConfig {
  const client = clientNamed(name)
  if (!client.takesHttp)
    throw new UsageError(
      `"${name}" takes no address in its configuration file.`,
      'Leave --http away: it starts the server itself.',
    )
  const token = `Put the token in place of <token>: the one in ${tokenFile}, or a narrower one of \`toolcrib tokens new\`.`
  if (client === clients['claude-code'])
    return {
      block: `claude mcp add --transport http toolcrib ${shellQuoted(url)} --header ${shellQuoted(`Authorization: ${authorization}`)}`,
      note: `For a terminal. ${token}`,
    }
  return {
    block: blockOf(client, { url, headers: { Authorization: authorization } }),
    note: `For ${placeOf(client)}. ${token}`,
  }
}

export interface ClientBlocks {
  readonly name: string
  readonly title: string
  readonly stdio: { readonly block: string; readonly file: string }
  readonly http?: { readonly block: string; readonly file: string }
}

/** What the console offers: the best known. */
const shown = ['claude-code', 'claude-desktop', 'cursor', 'vscode', 'zed', 'codex', 'windsurf']

/** The blocks of all clients the console shows. */
export function clientConfigs(where: {
  readonly root: string
  readonly program: string
  readonly url: string
}): ClientBlocks[] {
  return shown.map((name) => {
    const client = clientNamed(name)
    const file = client === clients['claude-code'] ? 'a terminal' : placeOf(client)
    return {
      name,
      title: client.title,
      stdio: { block: stdioConfig(name, where.root, where.program).block, file },
      http: client.takesHttp ? { block: httpConfig(name, where.url, '').block, file } : undefined,
    }
  })
}

function blockOf(client: Client, server: ServerStart): string {
  return withServer('', client, 'toolcrib', client.entry(server, 'toolcrib')).trimEnd()
}

/** Where the block goes, as people name the file. */
function placeOf(client: Client): string {
  if (client === clients['vscode']) return client.project!
  const file = client.user('~', 'linux')
  // Where it lies differs from system to system.
  return client.user('~', 'darwin') === file ? file : basename(file)
}

const others: { readonly [name: string]: string } = {
  'claude-desktop': 'claude',
  'vs-code': 'vscode',
  gemini: 'gemini-cli',
}

/** A client by the name a person gave. */
export function clientNamed(given: string): Client {
  const name = Object.hasOwn(others, given) ? others[given]! : given
  if (Object.hasOwn(clients, name)) return clients[name]!
  const near = nearNames(given, clientNames, 1)
  throw new UsageError(
    `There is no client "${given}".`,
    near.length > 0 ? `Did you mean "${near[0]}"?` : `Known clients: ${clientNames.join(', ')}.`,
  )
}
