// `toolcrib add --from claude`, `add name -- npx -y …`, `add https://…`: takes MCP servers in, tried in the fence and pinned.
import { join } from 'node:path'
import type { Crib } from '../../../crib/crib.ts'
import { installedPackage } from '../../../formats/mcp/installed-package.ts'
import { startsToolcrib } from '../../../formats/mcp/own-entry.ts'
import { packageRunner } from '../../../formats/mcp/package-runner.ts'
import { specOf } from '../../../formats/mcp/server-tool.ts'
import type { JsonObject } from '../../../tool/json.ts'
import type { Problem } from '../../../tool/problem.ts'
import { errorData, ToolError } from '../../../tool/tool-error.ts'
import { acceptPin } from '../../../trust/vouched.ts'
import { clients } from '../../clients/clients.ts'
import { serversIn, withServer } from '../../clients/edit-servers.ts'
import type { FoundServer } from '../../clients/read-servers.ts'
import { readClientFile, writeClientFile } from '../../clients/write-client-file.ts'
import { toolsOfServer } from '../../trust/lock-crib.ts'
import { UsageError } from '../command.ts'
import type { Session } from '../session.ts'
import { plain } from '../style.ts'
import type { Added, AddOptions } from './added.ts'
import { installPackage } from './install-package.ts'

/** `.mcp.json` is written as Claude Code writes it. */
const fileClient = clients['claude-code']!

export interface ServerOptions extends AddOptions {
  readonly allowsScripts: boolean
}

/** An address or a command as the entry of a new server. */
export function namedServer(name: string, entry: JsonObject): FoundServer {
  if (!/^[A-Za-z0-9][\w.@ -]{0,63}$/.test(name))
    throw new UsageError(`"${name}" cannot be the name of a server.`, 'Use letters, digits, - and _.')
  return { name, entry, file: '', secrets: [] }
}

export async function addServers(
  session: Session,
  given: readonly FoundServer[],
  options: ServerOptions,
): Promise<Added> {
  const crib = await session.open({ asksAboutFolder: false })
  const notes: string[] = []
  const servers = given.filter(({ name, entry }) => {
    if (!startsToolcrib(entry)) return true
    notes.push(`${name} is Toolcrib itself and was left out.`)
    return false
  })
  if (servers.length === 0) return { files: [], tools: [], notes: [...notes, 'There is no server to add.'] }
  const file = join(session.root, '.mcp.json')
  const text = withEntries(file, servers, session)
  session.note('Servers:')
  for (const { name, entry } of servers) session.note(`  ${plain(name)}: ${plain(wordsOf(entry))}`)
  if (options.dryRun || !(await isAgreed(session)))
    return {
      files: [],
      tools: [],
      notes: [
        ...notes,
        options.dryRun
          ? 'Nothing was written (--dry-run).'
          : 'Nothing was written; add --yes to take them in.',
      ],
      texts: { '.mcp.json': text },
    }
  const ready: FoundServer[] = []
  let failure: string | undefined
  for (const server of servers) {
    const answer = await install(session, crib, server, options)
    notes.push(...answer.notes)
    if (answer.failure === undefined) ready.push(server)
    else failure ??= answer.failure
  }
  const written = withEntries(file, ready, session)
  const isChanged = written !== readClientFile(file)
  if (isChanged) writeClientFile(file, written, session.root)
  await crib.reload()
  accept(crib, ready)
  await crib.reload()
  await crib.discover({ refresh: true, isPatient: true, timeoutMs: 60_000 })
  const tools: string[] = []
  const pinned = ready.flatMap((server) => toolsOfServer(crib, server.name))
  if (pinned.length > 0) {
    await crib.inference()
    crib.lock.pin(pinned)
    crib.catalog.markAgain()
    for (const tool of pinned) acceptPin(tool, crib)
  }
  for (const server of ready) {
    const found = toolsOfServer(crib, server.name)
    tools.push(...found.map(({ id }) => id))
    notes.push(...aboutServer(crib, server, found.length))
    if (found.length === 0 && problemOf(crib, server)) failure ??= 'UPSTREAM_FAILED'
  }
  return { files: isChanged ? [file] : [], tools, notes, failure }
}

/** The text of `.mcp.json` with the servers; one of the same name that is another is a conflict. */
function withEntries(file: string, servers: readonly FoundServer[], session: Session): string {
  let text = readClientFile(file)
  const known = serversIn(text, fileClient, file)
  for (const { name, entry, file: origin } of servers) {
    const before = known[name]
    if (origin === file || JSON.stringify(before) === JSON.stringify(entry)) continue
    if (before && !session.yes)
      throw new ToolError('CONFLICT', `${file} has a server "${name}" already: ${wordsOf(before)}.`, {
        hint: 'Replace it with --yes, or take it out first.',
      })
    text = withServer(text, fileClient, name, entry)
  }
  return text
}

function wordsOf(entry: JsonObject): string {
  if (typeof entry['url'] === 'string') return entry['url']
  return [entry['command'], ...((entry['args'] as string[] | undefined) ?? [])].join(' ')
}

async function isAgreed(session: Session): Promise<boolean> {
  if (session.yes) return true
  if (!session.mayAsk) return false
  const { confirm } = await import('@clack/prompts')
  return (await confirm({ message: 'Install, start and pin these? They run fenced.' })) === true
}

interface InstallAnswer {
  /** The code of what went wrong; undefined: there is something to start. */
  readonly failure?: string
  readonly notes: readonly string[]
}

/** Its package, where the entry names one; what went wrong with one server does not stop the others. */
async function install(
  session: Session,
  crib: Crib,
  { name, entry }: FoundServer,
  { allowsScripts }: ServerOptions,
): Promise<InstallAnswer> {
  const { command, args } = entry
  const words = (args as string[] | undefined) ?? []
  const runner = typeof command === 'string' ? packageRunner(command, words) : undefined
  if (!runner || installedPackage(crib.spaces.state, name, runner)) return { notes: [] }
  try {
    session.note(`Installing ${runner.spec} …`)
    const { signal } = session
    const { installed, notes } = await installPackage(crib, { server: name, runner, allowsScripts, signal })
    const { version } = installed
    return { notes: [`${name}: ${installed.name} ${version} is installed and pinned.`, ...notes] }
  } catch (error) {
    const { code, message, hint } = errorData(error)
    return { failure: code, notes: [`${name}: ${code}: ${message}${hint ? ` ${hint}` : ''}`] }
  }
}

/** The user asked for these servers, so they count (G2). */
function accept(crib: Crib, servers: readonly FoundServer[]): void {
  const keys = new Set(servers.map(({ name }) => `server ${name}`))
  crib.folder.decide(
    crib.asks.filter((ask) => keys.has(ask.key)),
    true,
  )
}

function problemOf(crib: Crib, { name }: FoundServer): Problem | undefined {
  return crib.list({ all: true }).find((tool) => specOf(tool)?.name === name)?.problems[0]
}

function aboutServer(crib: Crib, server: FoundServer, count: number): string[] {
  const { name, secrets } = server
  const problem = problemOf(crib, server)
  const wanted = secrets.map((secret) => `${name} needs the secret ${secret}: toolcrib secrets set ${secret}`)
  if (count > 0) return [`${name}: ${count} tool${count === 1 ? '' : 's'}.`, ...wanted]
  if (problem)
    return [`${name}: ${shortened(problem.message)}${problem.hint ? ` ${problem.hint}` : ''}`, ...wanted]
  return [`${name}: it offers no tools.`, ...wanted]
}

/** What a server said, without the lines of a stack. */
function shortened(message: string): string {
  const lines = message
    .split('\n')
    .filter((line) => line.trim() !== '' && !/^\s+at |^\s*[\^{}]|^Node\.js v/.test(line))
  const told = lines.find((line) => /Error\b/.test(line))
  return lines.length < 4 || told === undefined ? lines.join('\n') : `${lines[0]}: ${told}`
}
