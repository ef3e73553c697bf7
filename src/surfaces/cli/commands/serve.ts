// `toolcrib serve`: HTTP, MCP and the console until it is told to stop. The link to the console is the only line that
// shows the token.
import { realpathSync } from 'node:fs'
import { relative } from 'node:path'
import { findOnPath } from '../../../config/find-on-path.ts'
import { spacesOf } from '../../../config/spaces.ts'
import type { Call } from '../../../kernel/call.ts'
import { defined } from '../../../tool/defined.ts'
import { errorData, ToolError } from '../../../tool/tool-error.ts'
import type { Served } from '../../http/serve-crib.ts'
import { tokenFile } from '../../http/token-file.ts'
import { type CliCommand, UsageError } from '../command.ts'
import { servedAddress } from '../served-address.ts'
import type { Session } from '../session.ts'
import { shellQuoted } from '../shell-quoted.ts'
import { noteStyle, plain } from '../style.ts'
import { unattendedNotes } from '../unattended-notes.ts'
import { watchCalls } from '../watch-calls.ts'
import { exposureOf, serveOverStdio } from './mcp.ts'

interface Options {
  readonly host?: string
  readonly port?: string
  readonly stdio?: boolean
  readonly token?: string
  readonly expose?: string
  readonly offer?: string
  readonly bootstrap?: boolean
  readonly printConfig?: string
  readonly http?: boolean
  readonly watch?: boolean
  readonly store?: string
  readonly bus?: string
  readonly edit?: boolean
}

export const serve: CliCommand = {
  examples: [
    ['toolcrib serve', 'on http://127.0.0.1:4747, with a link that carries the token'],
    ['toolcrib serve --port 0 --json', 'on a free port, the ready line as JSON'],
    ['toolcrib serve --edit', 'grants and rules can be changed in the console'],
    ['toolcrib serve --watch', 'check and test each tool as it is saved'],
    ['toolcrib serve --stdio', 'as an MCP server on stdin and stdout'],
    ['toolcrib serve --expose search', 'three MCP tools that find and call all the others'],
    ['toolcrib serve --expose code', 'the model writes code that calls tools, run in the sandbox'],
    ['toolcrib serve --store postgres://crib@db/crib --bus nats://bus:4222', 'as one node of many'],
    ['toolcrib serve --print-config claude', 'the block to paste into an MCP client'],
    ['toolcrib serve --print-config cursor --http', 'the same for a crib that is served over HTTP'],
  ],
  define(command) {
    command
      .option('--host <host>', 'interface to bind to (default: serve.host, 127.0.0.1)')
      .option('--port <port>', 'port, 0 for a free one (default: serve.port, 4747)')
      .option('--stdio', 'serve MCP on stdin and stdout instead of HTTP')
      .option('--token <token>', 'the token to ask for; env:NAME reads it from a variable')
      .option('--expose <what>', 'how MCP clients are offered tools: all, search or code (default: all)')
      .option('--offer <name>', 'with --stdio: only the tools of this offer')
      .option('--no-bootstrap', 'start no tool with the crib')
      .option('--edit', 'let admins change files of the crib from the console; on loopback only')
      .option('--watch', 'for authors: check and test every saved tool, and show what is wrong')
      .option('--store <where>', 'database file or postgres://… (default: store)')
      .option('--bus <where>', 'memory or nats://… (default: bus)')
      .option('--print-config <client>', 'print the block for an MCP client and leave')
      .option('--http', 'with --print-config: the block for a crib that is served')
  },
  async run(session, _args, options: Options) {
    if (options.printConfig !== undefined) return printConfig(session, options.printConfig, options)
    if (options.http) throw new UsageError('--http goes with --print-config; HTTP is what serve does anyway.')
    if (options.offer !== undefined && !options.stdio)
      throw new UsageError(
        '--offer goes with --stdio.',
        `Over HTTP every offer has an address of its own: /mcp/${options.offer}.`,
      )
    if (options.stdio)
      return serveOverStdio(session, { expose: exposureOf(options.expose), offer: options.offer })
    return serveOverHttp(session, options)
  },
}

async function printConfig(session: Session, client: string, options: Options): Promise<number> {
  const { httpConfig, stdioConfig } = await import('../client-config.ts')
  const { block, note } = options.http
    ? httpConfig(client, await addressOf(session, options), tokenFile(spacesOf(session.root)))
    : stdioConfig(client, session.root, realpathSync(process.argv[1]!))
  session.out(block)
  session.note(noteStyle.dim(note))
  return 0
}

/** D19: one line per call at -v. */
function callLine(call: Call): string {
  const { tool, principal, error } = call
  const end = error === undefined ? 'ok' : errorData(error).code
  return `${new Date().toISOString().slice(11, 19)} ${plain(tool.id)} ${end} ${Math.round(call.elapsedMs())} ms, ${principal.surface} ${plain(principal.name)}, run ${call.id}`
}

/** D2: one fact a line, each whole on a terminal of 80 columns. */
function readyLines({ root }: Session, { url, mcp, token }: Served, tools: number): string[] {
  const program = findOnPath('toolcrib') ? 'toolcrib' : 'npx toolcrib'
  const from = relative(process.cwd(), root)
  return [
    `Toolcrib is ready with ${tools} tools.`,
    `Console  ${url}/${token ? `#token=${token}` : ''}`,
    `MCP      ${mcp}`,
    `Connect  ${program} connect <client>${from === '' ? '' : ` -C ${shellQuoted(from)}`}`,
  ]
}

/** Where clients will find the MCP endpoint, by flags and configuration; nothing needs to run yet. */
async function addressOf(session: Session, { host, port }: Options): Promise<string> {
  const { serve } = (await session.open()).config
  return servedAddress({
    publicUrl: serve.publicUrl,
    host: host ?? serve.host,
    port: port === undefined ? serve.port : portOf(port),
  })
}

async function serveOverHttp(session: Session, options: Options): Promise<number> {
  const { serveCrib } = await import('../../http/serve-crib.ts')
  const shared = defined({
    store: options.store,
    bus: options.bus,
  })
  const crib = await session.open(Object.keys(shared).length > 0 ? { config: shared } : {})
  // The ready line comes first, also when something happened before it.
  let early: object[] | null = []
  const log = (event: object): void => {
    if (early) early.push(event)
    else if (session.json) session.out(JSON.stringify(event))
  }
  crib.on('note', ({ level, message }) => log({ event: 'note', level, message }))
  crib.on('run', (call) => {
    const { tool, principal } = call
    log({
      event: 'run',
      runId: call.id,
      tool: tool.id,
      surface: principal.surface,
      caller: principal.name,
      ok: call.error === undefined,
      ms: Math.round(call.elapsedMs()),
    })
    if (session.verbose && !session.json) session.note(callLine(call))
    for (const line of unattendedNotes(call)) session.note(line)
  })
  const unwatch = watchCalls(crib)
  const served = await serveCrib(
    crib,
    defined({
      expose: exposureOf(options.expose),
      host: options.host,
      port: options.port === undefined ? undefined : portOf(options.port),
      bootstrap: options.bootstrap !== false,
      edit: options.edit,
      token: options.token === undefined ? undefined : tokenOf(options.token),
    }),
  )
  const tools = crib.list().length
  const { url, mcp, token } = served
  if (session.json)
    session.out(JSON.stringify({ event: 'ready', url, mcp, token: token ?? null, tools, root: session.root }))
  else {
    for (const line of readyLines(session, served, tools)) session.out(line)
    session.note(noteStyle.dim('Ctrl-C ends it.'))
  }
  const missed = early
  early = null
  for (const event of missed) log(event)
  crib.on('tool-changed', ({ id, change }) => log({ event: 'tool-changed', tool: id, change }))
  crib.approvals.on('requested', (pending) => {
    log({ event: 'approval', id: pending.id, tool: pending.tool })
    session.note(`${pending.tool} waits for approval: ${url}/`)
  })
  if (options.watch) {
    const { followSaves } = await import('../dev-loop.ts')
    followSaves(session, crib, log)
    await crib.watch()
    session.note('Watching: each saved tool is checked and its examples are run.')
  }
  await stopped(session.signal)
  log({ event: 'closing' })
  await served.close()
  await unwatch()
  return 0
}

function stopped(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}

function portOf(text: string): number {
  const port = Number(text)
  if (/^\d+$/.test(text) && port <= 65_535) return port
  throw new UsageError(`--port takes a number from 0 to 65535, not "${text}".`)
}

function tokenOf(text: string): string {
  const token = text.startsWith('env:') ? (process.env[text.replace(/^env:(\/\/)?/, '')] ?? '') : text
  if (token.length >= 16 && !/\s/.test(token)) return token
  throw new ToolError(
    'CONFIG_INVALID',
    'The token of --token is empty, shorter than 16 characters or has blanks.',
    {
      hint: 'Make one with: openssl rand -hex 24',
    },
  )
}
