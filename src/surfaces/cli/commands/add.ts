// `toolcrib add`: makes a tool of what is there, a script, a program, a server.

import { clientNames } from '../../clients/clients.ts'
import type { FoundServer } from '../../clients/read-servers.ts'
import type { Added, AddOptions } from '../add/added.ts'
import { type CliCommand, UsageError } from '../command.ts'
import type { Session } from '../session.ts'

export const add: CliCommand = {
  examples: [
    [
      'toolcrib add ./report.py',
      'shows the definition of a tool that runs the script, and asks before it writes',
    ],
    ['toolcrib add ./report.py --yes', 'writes it at once'],
    ['toolcrib add ./report.py --dry-run', 'only shows it'],
    [
      `toolcrib add ./report.py --yes --example '{"table":"sales.csv"}'`,
      'tries that call and keeps it as an example',
    ],
    [
      'toolcrib add --from claude-code',
      'takes in the MCP servers of .mcp.json: installs, tries and pins them',
    ],
    ['toolcrib add files -- npx -y @modelcontextprotocol/server-filesystem .', 'one MCP server'],
    ['toolcrib add https://example.com/mcp', 'one by its address'],
    ['toolcrib add petstore.yaml', 'an OpenAPI document: its operations become tools, its hosts are granted'],
    ['toolcrib add -- jq --sort-keys', 'a program on PATH with words that stay'],
  ],
  define(command) {
    command
      .argument(
        '[what...]',
        'a script of the crib, the address of an MCP server, or its name before -- and its command',
      )
      .option('--from <client>', `MCP servers of a client: ${clientNames.join(', ')}`)
      .option('--allow-scripts', 'run what packages want to run when they are installed')
      .option('--id <id>', 'id of the new tool; default the name of the script')
      .option('--example <json>', 'parameters of a call to try and to keep')
      .option('--dry-run', 'show what would be written, write nothing')
  },
  async run(session, args, options, command) {
    const given = splitAtDashes(args, command)
    const added = await door(session, given, {
      dryRun: options['dryRun'] === true,
      id: options['id'] as string | undefined,
      example: options['example'] as string | undefined,
      from: options['from'] as string | undefined,
      allowsScripts: options['allowScripts'] === true,
    })
    report(session, added)
    return 0
  },
}

interface Given {
  readonly words: readonly string[]
  /** What stands after `--`. */
  readonly command: readonly string[] | undefined
}

/** Commander drops the `--` that parts a name from a command. */
function splitAtDashes(args: readonly string[], command: object): Given {
  const raw = (command as { rawArgs?: readonly string[] }).rawArgs ?? []
  const at = raw.indexOf('--')
  if (at < 0) return { words: args, command: undefined }
  const after = raw.slice(at + 1)
  return { words: args.slice(0, args.length - after.length), command: after }
}

interface Options extends AddOptions {
  readonly from?: string | undefined
  readonly allowsScripts: boolean
}

async function door(session: Session, { words, command }: Given, options: Options): Promise<Added> {
  const servers = await serversOf(session, { words, command }, options)
  if (servers) return (await import('../add/add-servers.ts')).addServers(session, servers, options)
  const { addScript } = await import('../add/add-script.ts')
  const { commandTarget, fileTarget } = await import('../add/script-target.ts')
  if (command && words.length === 0) return addScript(session, commandTarget(command, session.root), options)
  const [what, ...more] = words
  if (what === undefined || more.length > 0)
    throw new UsageError(
      what === undefined ? 'What shall be added?' : `One thing at a time: ${words.join(', ')}.`,
      'For example: toolcrib add ./report.py',
    )
  if (/\.(json|ya?ml)$/.test(what)) {
    const { addApi, apiAt } = await import('../add/add-api.ts')
    const api = apiAt(what, options)
    if (api) return addApi(session, api, options)
  }
  return addScript(session, fileTarget(what, session.root), options)
}

/** The MCP servers that are meant; undefined when something else is. */
async function serversOf(
  session: Session,
  { words, command }: Given,
  { from, id }: Options,
): Promise<readonly FoundServer[] | undefined> {
  if (from !== undefined) {
    if (words.length > 0 || command)
      throw new UsageError('--from takes all servers of a client.', 'Leave the rest away.')
    const { readServers } = await import('../../clients/read-servers.ts')
    const { clientNamed } = await import('../client-config.ts')
    return readServers(clientNamed(from), session.root)
  }
  const { namedServer } = await import('../add/add-servers.ts')
  const [first] = words
  if (command && first !== undefined && words.length === 1) {
    const [program, ...args] = command
    if (program === undefined) throw new UsageError('No command stands after --.')
    return [namedServer(first, { command: program, args })]
  }
  if (first !== undefined && /^https?:\/\//.test(first) && words.length === 1) {
    const { hostname: host } = new URL(first)
    const name = id ?? host.replace(/^(mcp|www|api)\./, '').split('.')[0]!
    return [namedServer(name, { type: 'http', url: first })]
  }
  return undefined
}

function report(session: Session, { files, tools, notes, texts }: Added): void {
  if (session.json) return session.outJson({ files, tools, notes, texts })
  for (const file of files) session.out(file)
  for (const note of notes) session.note(note)
  const [first] = tools
  if (texts || first === undefined) return
  session.note(`Next: toolcrib run ${first} --help, then toolcrib connect <client>`)
}
