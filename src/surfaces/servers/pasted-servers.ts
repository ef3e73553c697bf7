// What somebody pastes to add a server: an address, a command, or a block of `mcpServers` from any client's page.
import { isIP } from 'node:net'
import { type ParseError, parse as parseJsonc } from 'jsonc-parser'
import { startsToolcrib } from '../../formats/mcp/own-entry.ts'
import { packageRunner } from '../../formats/mcp/package-runner.ts'
import { isFault, readServerSpec } from '../../formats/mcp/server-spec.ts'
import { splitCommand } from '../../formats/mcp/split-command.ts'
import { isLoopback } from '../../sandbox/addresses.ts'
import { isPlainObject, type JsonObject } from '../../tool/json.ts'
import { ToolError } from '../../tool/tool-error.ts'
import { type FoundServer, foundServer } from '../clients/read-servers.ts'

/** Where the pages of servers put their block. */
const wrappers = ['mcpServers', 'mcp_servers', 'servers', 'context_servers']
const maxServers = 20

export function isServerName(name: string): boolean {
  return /^[A-Za-z0-9][\w.@ -]{0,63}$/.test(name)
}

/** What a server or an API is called by its address: the host without what every host has. */
export function nameOfAddress(address: string): string {
  const hostname = new URL(address).hostname.replaceAll(/[[\]]/g, '')
  // The first part of a number says nothing.
  if (isIP(hostname)) return isLoopback(hostname) ? 'local' : `host-${hostname.replaceAll(/[.:]+/g, '-')}`
  return hostname.replace(/^(mcp|www|api)\./, '').split('.')[0]!
}

/** Throws PARAMS_INVALID where the text names no server. `name` is for a command or an address. */
export function pastedServers(text: string, name?: string): FoundServer[] {
  const given = text.trim()
  if (given === '') throw unreadable('Nothing was pasted.')
  const servers =
    given.startsWith('{') || given.startsWith('"') ? inBlock(given, name) : [single(given, name)]
  if (servers.length > maxServers)
    throw unreadable(`That is ${servers.length} servers; add at most ${maxServers} at once.`)
  for (const server of servers) {
    if (!isServerName(server.name))
      throw unreadable(`"${server.name}" cannot be the name of a server: use letters, digits, - and _.`)
    const spec = readServerSpec(server.name, server.entry, false)
    if (isFault(spec)) throw unreadable(`${spec.message} ${spec.hint}`)
    if (startsToolcrib(server.entry)) throw unreadable(`"${server.name}" starts Toolcrib itself.`)
  }
  return servers
}

function single(text: string, name: string | undefined): FoundServer {
  if (/^https?:\/\//i.test(text)) {
    if (/\s/.test(text) || !URL.canParse(text)) throw unreadable('The address cannot be read.')
    return { name: name ?? nameOfAddress(text), entry: { type: 'http', url: text }, file: '', secrets: [] }
  }
  if (/[\r\n]/.test(text)) throw unreadable('A command stands in one line.')
  const [command, ...args] = splitCommand(text)
  if (command === undefined) throw unreadable('There is no command in this text.')
  return { name: name ?? nameOfCommand(command, args), entry: { command, args }, file: '', secrets: [] }
}

/** The package without its scope and version, without the words that every server has. */
function nameOfCommand(command: string, args: readonly string[]): string {
  const spec =
    packageRunner(command, args)?.spec ?? args.find((word) => /\.(m?js|ts|py)$/.test(word)) ?? command
  const last = spec
    .replace(/(?<=.)@[^@/]*$/, '')
    .split(/[/\\]/)
    .at(-1)!
  const short = last.replace(/\.\w+$/, '').replace(/^(mcp-)?server-|-?mcp-server$|^mcp-|-mcp$/g, '')
  return short.replace(/[^\w.@-]/g, '-') || 'server'
}

function inBlock(text: string, name: string | undefined): FoundServer[] {
  const errors: ParseError[] = []
  // Pages show the inner part of a block too: `"files": { … }`.
  const content: unknown = parseJsonc(text.startsWith('"') ? `{${text}}` : text, errors, {
    allowTrailingComma: true,
  })
  if (errors.length > 0 || !isPlainObject(content)) throw unreadable('The block is not JSON.')
  const key = wrappers.find((each) => isPlainObject(content[each]))
  const block = (key ? content[key] : content) as { readonly [name: string]: unknown }
  if (!key && (typeof block['command'] === 'string' || typeof block['url'] === 'string'))
    return foundServer(name ?? nameOfEntry(block as JsonObject), block as JsonObject, '')
  const servers = Object.entries(block).flatMap(([each, entry]) =>
    isPlainObject(entry) ? foundServer(each, entry as JsonObject, '') : [],
  )
  if (servers.length === 0)
    throw unreadable('The block names no server that can be started or reached: it needs a command or a url.')
  return servers
}

function nameOfEntry({ url, command, args }: JsonObject): string {
  if (typeof url === 'string' && URL.canParse(url)) return nameOfAddress(url)
  return nameOfCommand(String(command ?? ''), Array.isArray(args) ? args.map(String) : [])
}

function unreadable(message: string): ToolError {
  return new ToolError('PARAMS_INVALID', message, {
    hint: 'Paste an address, a command in one line, or a block { "mcpServers": { … } }.',
  })
}
