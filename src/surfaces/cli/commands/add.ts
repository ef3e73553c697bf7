// `toolcrib add`: makes tools of what is there: scripts, programs, servers, APIs, folders of skills.
import { statSync } from 'node:fs'
import { exitCodeOf } from '../../../tool/error-codes.ts'
import { clientNames } from '../../clients/clients.ts'
import type { FoundServer } from '../../clients/read-servers.ts'
import { type Added, type AddOptions, joinAdded } from '../add/added.ts'
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
    ['toolcrib add petstore.yaml --include "GET /**"', 'only some of its operations'],
    ['toolcrib add https://example.com/openapi.json', 'the same by its address'],
    ['toolcrib add ../superpowers', 'a folder with skills, commands and agents, or a plugin of them'],
    ['toolcrib add ./scripts', 'every script of a folder'],
    ['toolcrib add -- jq --sort-keys', 'a program on PATH with words that stay'],
  ],
  define(command) {
    command
      .argument(
        '[what...]',
        'scripts, OpenAPI documents or folders of skills, an address, or a name before -- and a command',
      )
      .option('--from <client>', `MCP servers of a client: ${clientNames.join(', ')}`)
      .option('--allow-scripts', 'run what packages want to run when they are installed')
      .option('--id <id>', 'id of the new tool; default the name of the script')
      .option('--include <patterns...>', 'operations of an API: a glob on the id, "#tag" or "METHOD /path"')
      .option('--example <json>', 'parameters of a call to try and to keep')
      .option('--learn', 'watch that call of a script and write the grants it needs; asks at a terminal')
      .option('--dry-run', 'show what would be written, write nothing')
  },
  async run(session, args, options, command) {
    const given = splitAtDashes(args, command)
    const added = await door(session, given, {
      dryRun: options['dryRun'] === true,
      id: options['id'] as string | undefined,
      example: options['example'] as string | undefined,
      learns: options['learn'] === true,
      from: options['from'] as string | undefined,
      include: options['include'] as string[] | undefined,
      allowsScripts: options['allowScripts'] === true,
    })
    report(session, added)
    return added.failure === undefined ? 0 : exitCodeOf(added.failure)
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
  if (command && words.length === 0) {
    const { addScript } = await import('../add/add-script.ts')
    const { commandTarget } = await import('../add/script-target.ts')
    return addScript(session, commandTarget(command, session.root), options)
  }
  if (words.length === 0)
    throw new UsageError('What shall be added?', 'For example: toolcrib add ./report.py')
  if (words.length > 1 && (options.id ?? options.example) !== undefined)
    throw new UsageError('--id and --example are of one thing.', `Add these one by one: ${words.join(', ')}.`)
  const all: Added[] = []
  for (const word of words) all.push(await addOne(session, word, options))
  return joinAdded(all)
}

/** One thing by its path or address. */
async function addOne(session: Session, what: string, options: Options): Promise<Added> {
  const { apiAtAddress, apiInFile } = await import('../add/api-source.ts')
  const isAddress = /^https?:\/\//.test(what)
  const api = isAddress ? await apiAtAddress(what, options, session.signal) : apiInFile(what, options)
  if (api) return (await import('../add/add-api.ts')).addApi(session, api, options)
  if (isAddress) {
    const { addServers, namedServer } = await import('../add/add-servers.ts')
    const { nameOfAddress } = await import('../../servers/pasted-servers.ts')
    const name = options.id ?? nameOfAddress(what)
    return addServers(session, [namedServer(name, { type: 'http', url: what })], options)
  }
  if (statSync(what, { throwIfNoEntry: false })?.isDirectory())
    return (await import('../add/add-folder.ts')).addFolder(session, what, options)
  const { addScript } = await import('../add/add-script.ts')
  const { fileTarget } = await import('../add/script-target.ts')
  return addScript(session, fileTarget(what, session.root), options)
}

/** The MCP servers that are meant; undefined when something else is. */
async function serversOf(
  session: Session,
  { words, command }: Given,
  { from }: Options,
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
  return undefined
}

function report(session: Session, { files, tools, notes, failure, texts }: Added): void {
  if (session.json) return session.outJson({ files, tools, notes, texts })
  for (const file of files) session.out(file)
  for (const note of notes) failure === undefined ? session.note(note) : session.fail(note)
  const [first] = tools
  if (texts || first === undefined) return
  session.note(`Next: toolcrib run ${first} --help, then toolcrib connect <client>`)
}
