// Takes MCP servers into a crib: installs their packages, writes .mcp.json, asks them for their tools and pins those.
// `toolcrib add` and the console do it here.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Crib } from '../../crib/crib.ts'
import { installedPackage } from '../../formats/mcp/installed-package.ts'
import { packageRunner } from '../../formats/mcp/package-runner.ts'
import { specOf } from '../../formats/mcp/server-tool.ts'
import type { JsonObject } from '../../tool/json.ts'
import type { Problem } from '../../tool/problem.ts'
import { isReadKind, type Tool } from '../../tool/tool.ts'
import { errorData, ToolError } from '../../tool/tool-error.ts'
import { acceptPin } from '../../trust/vouched.ts'
import { clients } from '../clients/clients.ts'
import { serversIn, withServer } from '../clients/edit-servers.ts'
import type { FoundServer } from '../clients/read-servers.ts'
import { readClientFile, writeClientFile } from '../clients/write-client-file.ts'
import { toolsOfServer } from '../trust/lock-crib.ts'
import { installPackage } from './install-package.ts'

/** `.mcp.json` is written as Claude Code writes it. */
const fileClient = clients['claude-code']!

export interface InstallOrder {
  /** The person agreed to run what packages want to run when they are installed. */
  readonly allowsScripts: boolean
  readonly signal: AbortSignal
  /** Told what is being done. */
  note?(text: string): void
}

export interface TakeInOrder extends InstallOrder {
  /** Another server of the same name is replaced. */
  readonly replaces: boolean
}

export interface TakenIn {
  /** Absolute paths of what was written. */
  readonly files: readonly string[]
  /** Ids of the tools that can be called now. */
  readonly tools: readonly string[]
  readonly notes: readonly string[]
  /** The code of what went wrong first. */
  readonly failure?: string | undefined
}

export interface EntriesEdit {
  readonly file: string
  readonly before: string
  readonly after: string
}

/** What `.mcp.json` would be with the servers; one of the same name that is another is a conflict. */
export function entriesEdit(root: string, servers: readonly FoundServer[], replaces: boolean): EntriesEdit {
  const file = join(root, '.mcp.json')
  const before = readClientFile(file)
  const known = serversIn(before, fileClient, file)
  let after = before
  for (const { name, entry, file: origin } of servers) {
    const old = known[name]
    if (origin === file || JSON.stringify(old) === JSON.stringify(entry)) continue
    if (old && !replaces)
      throw new ToolError('CONFLICT', `${file} has a server "${name}" already: ${wordsOf(old)}.`, {
        hint: 'Replace it with --yes, or take it out first.',
      })
    after = withServer(after, fileClient, name, entry)
  }
  return { file, before, after }
}

/** What starts or reaches a server, in one line. */
export function wordsOf(entry: JsonObject): string {
  if (typeof entry['url'] === 'string') return entry['url']
  return [entry['command'], ...((entry['args'] as string[] | undefined) ?? [])].join(' ')
}

export async function takeInServers(
  crib: Crib,
  servers: readonly FoundServer[],
  order: TakeInOrder,
): Promise<TakenIn> {
  const notes: string[] = []
  const ready: FoundServer[] = []
  let failure: string | undefined
  for (const server of servers) {
    const answer = await installServer(crib, server, order)
    notes.push(...answer.notes)
    if (answer.failure === undefined) ready.push(server)
    else failure ??= answer.failure
  }
  const { file, before, after } = entriesEdit(crib.root, ready, order.replaces)
  if (after !== before) writeClientFile(file, after, { root: crib.root })
  await crib.reload()
  accept(crib, ready)
  await crib.reload()
  const names = ready.map(({ name }) => name)
  const asking = { refresh: true, isPatient: true, timeoutMs: 60_000 }
  await Promise.all(names.map((server) => crib.discover({ ...asking, server })))
  const strange = ready.filter((server) => problemOf(crib, server)?.code === 'mcp-not-spoken')
  await pinTools(crib, names)
  const tools: string[] = []
  for (const server of ready) {
    const found = toolsOfServer(crib, server.name)
    tools.push(...found.filter(({ kind }) => !isReadKind(kind)).map(({ id }) => id))
    notes.push(...aboutServer(crib, server, found))
    if (found.length === 0 && problemOf(crib, server)) failure ??= 'UPSTREAM_FAILED'
  }
  if (strange.length === 0) return { files: after === before ? [] : [file], tools, notes, failure }
  const kept = await withdraw(crib, { file, before, servers: ready.filter((one) => !strange.includes(one)) })
  return { files: kept ? [file] : [], tools, notes, failure }
}

export interface InstallAnswer {
  /** The code of what went wrong; undefined: there is something to start. */
  readonly failure?: string
  readonly notes: readonly string[]
}

/** Its package, where the entry names one; what went wrong with one server does not stop the others. */
export async function installServer(
  crib: Crib,
  { name, entry }: FoundServer,
  { allowsScripts, signal, note }: InstallOrder,
): Promise<InstallAnswer> {
  const { command, args } = entry
  const words = (args as string[] | undefined) ?? []
  const runner = typeof command === 'string' ? packageRunner(command, words) : undefined
  if (!runner || installedPackage(crib.spaces.state, name, runner)) return { notes: [] }
  try {
    note?.(`Installing ${runner.spec} …`)
    const { installed, notes } = await installPackage(crib, { server: name, runner, allowsScripts, signal })
    const { version } = installed
    return { notes: [`${name}: ${installed.name} ${version} is installed and pinned.`, ...notes] }
  } catch (error) {
    const { code, message, hint } = errorData(error)
    return { failure: code, notes: [`${name}: ${code}: ${message}${hint ? ` ${hint}` : ''}`] }
  }
}

/** Leaves only these servers in `.mcp.json`, beside what it had before. True: there is something new in it. */
async function withdraw(
  crib: Crib,
  { file, before, servers }: { file: string; before: string; servers: readonly FoundServer[] },
): Promise<boolean> {
  if (before === '') rmSync(file, { force: true })
  else writeClientFile(file, before, { root: crib.root, keepsOlder: true })
  const { after } = entriesEdit(crib.root, servers, true)
  if (after !== before) writeClientFile(file, after, { root: crib.root, keepsOlder: true })
  await crib.reload()
  return after !== before
}

/** The user asked for these servers, so they count (G2). */
function accept(crib: Crib, servers: readonly FoundServer[]): void {
  const keys = new Set(servers.map(({ name }) => `server ${name}`))
  crib.folder.decide(
    crib.asks.filter((ask) => keys.has(ask.key)),
    true,
  )
}

async function pinTools(crib: Crib, servers: readonly string[]): Promise<void> {
  const pinned = servers.flatMap((name) => toolsOfServer(crib, name))
  if (pinned.length === 0) return
  await crib.inference()
  crib.lock.pin(pinned)
  crib.catalog.markAgain()
  for (const tool of pinned) acceptPin(tool, crib)
}

function problemOf(crib: Crib, { name }: FoundServer): Problem | undefined {
  return crib.list({ all: true }).find((tool) => specOf(tool)?.name === name)?.problems[0]
}

function aboutServer(crib: Crib, server: FoundServer, found: readonly Tool[]): string[] {
  const { name, secrets } = server
  const problem = problemOf(crib, server)
  const wanted = secrets.map((secret) => `${name} needs the secret ${secret}: toolcrib secrets set ${secret}`)
  if (found.length > 0) return [`${name}: ${counted(found)}.`, ...wanted]
  if (problem)
    return [`${name}: ${withoutStack(problem.message)}${problem.hint ? ` ${problem.hint}` : ''}`, ...wanted]
  return [`${name}: it offers no tools.`, ...wanted]
}

/** `3 tools, 1 prompt` */
function counted(found: readonly Tool[]): string {
  const words = {
    callable: 'tool',
    prompt: 'prompt',
    resource: 'resource',
    instructions: 'text of instructions',
  }
  return Object.entries(words)
    .flatMap(([kind, word]) => {
      const count = found.filter((tool) => tool.kind === kind).length
      return count === 0 ? [] : [`${count} ${word}${count === 1 ? '' : 's'}`]
    })
    .join(', ')
}

/** What a server said, without the lines of a stack. */
export function withoutStack(message: string): string {
  const lines = message
    .split('\n')
    .filter((line) => line.trim() !== '' && !/^\s+at |^\s*[\^{}]|^Node\.js v/.test(line))
  const told = lines.find((line) => /Error\b/.test(line))
  return lines.length < 4 || told === undefined ? lines.join('\n') : `${lines[0]}: ${told}`
}
