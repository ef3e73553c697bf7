// `toolcrib connect` writes this crib into the file of an MCP client; `disconnect` takes it out again (D17).
import { realpathSync } from 'node:fs'
import type { Crib } from '../../../crib/crib.ts'
import { startsToolcrib } from '../../../formats/mcp/own-entry.ts'
import { specOf } from '../../../formats/mcp/server-tool.ts'
import { offerNamed } from '../../../guards/offer-selection.ts'
import { lineDiff } from '../../../sandbox/changes/line-diff.ts'
import type { JsonObject } from '../../../tool/json.ts'
import { ToolError } from '../../../tool/tool-error.ts'
import { type Client, clientFile, clientNames, type ServerStart } from '../../clients/clients.ts'
import { saysNothing, serversIn, withServer } from '../../clients/edit-servers.ts'
import {
  keptClientFile,
  readClientFile,
  restoreClientFile,
  writeClientFile,
} from '../../clients/write-client-file.ts'
import { tokenFile } from '../../http/token-file.ts'
import { clientNamed, ownStart } from '../client-config.ts'
import { type CliCommand, UsageError } from '../command.ts'
import { printAsks } from '../folder-question.ts'
import { servedAddress } from '../served-address.ts'
import type { Session } from '../session.ts'
import { noteStyle, plain } from '../style.ts'
import { exposureOf } from './mcp.ts'

const serverName = 'toolcrib'
const tokenVariable = 'TOOLCRIB_TOKEN'

interface Options {
  readonly user?: boolean
  readonly http?: boolean
  readonly expose?: string
  readonly offer?: string
  readonly print?: boolean
  readonly name?: string
}

export const connect: CliCommand = {
  words: clientNames,
  examples: [
    [
      'toolcrib connect claude-code',
      "writes this crib into the project's .mcp.json, after showing the difference",
    ],
    ['toolcrib connect cursor --user', "into the user's own file, for every project"],
    ['toolcrib connect vscode --expose search', 'three tools that find and call the rest'],
    ['toolcrib connect cursor --offer notes', 'only the tools of the offer "notes" of toolcrib.yaml'],
    ['toolcrib connect codex --http', 'the address of a running `toolcrib serve`'],
    ['toolcrib connect zed --print', 'only prints the block'],
  ],
  define(command) {
    command
      .argument('<client>', clientNames.join(', '))
      .option('--user', "the user's own file, where the client has one for projects too")
      .option('--http', 'by the address of a crib that is served')
      .option('--expose <what>', 'what the client is offered: all, search or code')
      .option('--offer <name>', 'only the tools of this offer of toolcrib.yaml')
      .option('--name <name>', 'name of the entry', serverName)
      .option('--print', 'print the block, write nothing')
  },
  async run(session, [given], options: Options) {
    const client = clientNamed(given!)
    const crib = await session.open({ asksAboutFolder: false })
    const name = options.name ?? serverName
    const file = clientFile(client, { root: crib.root, isUsers: options.user === true })
    const fresh = client.entry(await startOf(crib, client, options), name)
    if (options.print) {
      if (!session.json) session.out(withServer('', client, name, fresh).trimEnd())
      session.note(noteStyle.dim(`For ${file}.`))
      report(session, { client: given!, file, entry: fresh, written: false })
      return 0
    }
    const isProjects = client.project !== undefined && options.user !== true
    const text = readClientFile(file)
    const before = serversIn(text, client, file)[name]
    const entry = before ? withOwnKeys(before, fresh) : fresh
    const done = { client: given!, file, entry }
    const open = crib.folder.unaccepted(crib.asks)
    if (JSON.stringify(before) === JSON.stringify(entry) && open.length === 0) {
      session.note(`${file} has this crib already.`)
      report(session, { ...done, written: false })
      return 0
    }
    if (before && !startsToolcrib(before) && !isSameAddress(before, entry))
      refuseForeign(session, { file, name, before })
    const after = withServer(text, client, name, entry)
    showDifference(session, file, text, after)
    if (open.length > 0) printAsks(session, crib)
    if (!(await isAgreed(session, file))) {
      report(session, { ...done, written: false })
      return 0
    }
    const backup = writeClientFile(file, after, {
      root: isProjects ? crib.root : undefined,
      keepsOlder: before !== undefined && startsToolcrib(before),
    })
    crib.folder.decide(crib.asks, true) // G2: what the user connects, the user accepts
    session.note(`Wrote ${file}${backup ? `; what it was is in ${backup}` : ''}.`)
    if (open.length > 0) session.note(`Accepted what ${crib.root} asks for.`)
    if (options.http) session.note(`Start the crib with \`toolcrib serve\`. ${tokenNote(client, crib)}`)
    const twice = startedTwice(crib, serversIn(after, client, file))
    if (twice.length > 0)
      session.note(
        `${client.title} also starts ${twice.map((each) => plain(each)).join(', ')} itself, outside the fence. This crib serves ${twice.length === 1 ? 'it' : 'them'}: take ${twice.length === 1 ? 'the entry' : 'the entries'} out of the client${isProjects && client.project === '.mcp.json' ? ', and put what the crib needs under mcp.servers of toolcrib.yaml' : "'s file"}.`,
      )
    session.note(client.next)
    report(session, { ...done, written: true })
    return 0
  },
}

export const disconnect: CliCommand = {
  words: clientNames,
  examples: [['toolcrib disconnect cursor', 'takes this crib out of the client again']],
  define(command) {
    command
      .argument('<client>', clientNames.join(', '))
      .option('--user', "the user's own file")
      .option('--name <name>', 'name of the entry', serverName)
  },
  async run(session, [given], options: Options) {
    const client = clientNamed(given!)
    const name = options.name ?? serverName
    const file = clientFile(client, { root: session.root, isUsers: options.user === true })
    const isProjects = client.project !== undefined && options.user !== true
    const text = readClientFile(file)
    const entry = serversIn(text, client, file)[name]
    if (!entry)
      throw new ToolError('KEY_NOT_FOUND', `${file} has no entry "${name}".`, {
        hint: isProjects ? 'Look in your own file with --user.' : 'Nothing is to be done.',
      })
    const kept = keptClientFile(file)
    // Where nothing else changed since, it is the very file again: also without the map that was made for the entry.
    const isAsKept =
      kept !== undefined &&
      !serversIn(kept, client, file)[name] &&
      withServer(kept, client, name, entry) === text
    const after = isAsKept ? kept : withServer(text, client, name, undefined)
    showDifference(session, file, text, after)
    const isWritten = await isAgreed(session, file)
    if (isWritten)
      restoreClientFile(file, after, {
        root: isProjects ? session.root : undefined,
        isEmpty: saysNothing(after, client, file),
      })
    report(session, { client: given!, file, entry, written: isWritten })
    return 0
  },
}

async function startOf(crib: Crib, client: Client, options: Options): Promise<ServerStart> {
  const { offer } = options
  const expose = exposureOf(options.expose)
  if (offer !== undefined) offerNamed(offer, crib.config.offers)
  if (!options.http) {
    const [command, ...args] = ownStart(realpathSync(process.argv[1]!))
    const flags = [
      ...(offer === undefined ? [] : ['--offer', offer]),
      ...(expose === undefined ? [] : ['--expose', expose]),
    ]
    return { command: command!, args: [...args, 'mcp', '-C', crib.root, ...flags] }
  }
  if (!client.takesHttp)
    throw new UsageError(
      `${client.title} takes no address in its file.`,
      'Leave --http away: it starts the server itself.',
    )
  if (expose !== undefined)
    throw new UsageError(
      '--expose of a served crib is chosen there.',
      'Use `toolcrib serve --expose …`, or `expose` of an offer.',
    )
  const token = client.variable?.(tokenVariable) ?? '<token>'
  const url = servedAddress(crib.config.serve)
  return {
    url: offer === undefined ? url : `${url}/${offer}`,
    headers: { Authorization: `Bearer ${token}` },
  }
}

/** What a person added to the entry stays, such as variables; what starts or reaches the crib is as it is now. */
function withOwnKeys(before: JsonObject, fresh: JsonObject): JsonObject {
  const isSameWay = ['url', 'httpUrl', 'serverUrl', 'uri'].every((key) => key in before === key in fresh)
  if (!isSameWay || !(startsToolcrib(before) || isSameAddress(before, fresh))) return fresh
  const { disabled: _, ...kept } = before
  return { ...kept, ...fresh, ...(kept['envs'] ? { envs: kept['envs'] } : {}) }
}

/** Servers that both the client and this crib start: the client's model would get their tools twice. */
function startedTwice(crib: Crib, entries: { readonly [name: string]: JsonObject }): string[] {
  const own = new Set(crib.list({ all: true }).flatMap((tool) => specOf(tool)?.name ?? []))
  return Object.entries(entries).flatMap(([name, entry]) =>
    own.has(name) && !startsToolcrib(entry) ? [name] : [],
  )
}

function tokenNote(client: Client, crib: Crib): string {
  return client.variable
    ? `The client reads the token from ${tokenVariable}: export ${tokenVariable}=$(cat ${tokenFile(crib.spaces)})`
    : 'Put a token of `toolcrib tokens new` in place of <token>.'
}

const addressOf = (entry: JsonObject) =>
  entry['url'] ?? entry['httpUrl'] ?? entry['serverUrl'] ?? entry['uri']

function isSameAddress(before: JsonObject, entry: JsonObject): boolean {
  return addressOf(entry) !== undefined && addressOf(before) === addressOf(entry)
}

interface Foreign {
  readonly file: string
  readonly name: string
  readonly before: JsonObject
}

/** An entry of the same name that starts something else is not ours to replace without a word. */
function refuseForeign(session: Session, { file, name, before }: Foreign): void {
  if (session.yes || session.mayAsk) {
    session.note(`${file} has an entry "${name}" that starts another program; it will be replaced:`)
    return
  }
  throw new ToolError(
    'CONFLICT',
    `${file} has an entry "${name}" that starts another program: ${JSON.stringify(before)}.`,
    { hint: 'Replace it with --yes, or choose another name with --name.' },
  )
}

/** What changes, by lines, as `diff` shows it. */
function showDifference(session: Session, file: string, before: string, after: string): void {
  session.note(`${file}:`)
  // A file with CRLF keeps it; nobody wants to read it.
  const [old, fresh] = [before.split(/\r?\n/), after.split(/\r?\n/)]
  for (const hunk of lineDiff(old, fresh)) {
    for (const line of old.slice(hunk.before.from, hunk.before.to))
      session.note(noteStyle.red(`  - ${plain(line)}`))
    for (const line of fresh.slice(hunk.after.from, hunk.after.to))
      session.note(noteStyle.green(`  + ${plain(line)}`))
  }
}

async function isAgreed(session: Session, file: string): Promise<boolean> {
  if (session.yes) return true
  if (session.mayAsk) {
    const { confirm } = await import('@clack/prompts')
    return (await confirm({ message: `Write ${file}?` })) === true
  }
  session.note('Nothing was written; add --yes to write it.')
  return false
}

interface Report {
  readonly client: string
  readonly file: string
  readonly entry: JsonObject
  readonly written: boolean
}

function report(session: Session, answer: Report): void {
  if (session.json) session.outJson({ ...answer, root: session.root })
}
