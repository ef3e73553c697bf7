// `toolcrib serve`: HTTP, MCP and the console until it is told to stop. The ready line is the only one that
// shows the token.
import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { ToolError } from '../../../tool/tool-error.ts'
import type { ServeOptions } from '../../http/serve-crib.ts'
import { type CliCommand, UsageError } from '../command.ts'
import type { Session } from '../session.ts'
import { noteStyle } from '../style.ts'
import { unattendedNotes } from '../unattended-notes.ts'
import { watchCalls } from '../watch-calls.ts'
import { serveOverStdio } from './mcp.ts'

interface Options {
  readonly host?: string
  readonly port?: string
  readonly stdio?: boolean
  readonly token?: string
  readonly expose?: string
  readonly bootstrap?: boolean
  readonly printConfig?: string
  readonly http?: boolean
  readonly watch?: boolean
  readonly store?: string
  readonly bus?: string
}

export const serve: CliCommand = {
  examples: [
    ['toolcrib serve', 'on http://127.0.0.1:4747, with a link that carries the token'],
    ['toolcrib serve --port 0 --json', 'on a free port, the ready line as JSON'],
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
      .option('--expose <what>', 'what MCP clients are offered: all, search or code', 'all')
      .option('--no-bootstrap', 'start no tool with the crib')
      .option('--watch', 'for authors: check and test every saved tool, and show what is wrong')
      .option('--store <where>', 'database file or postgres://… (default: store)')
      .option('--bus <where>', 'memory or nats://… (default: bus)')
      .option('--print-config <client>', 'print the block for an MCP client and leave')
      .option('--http', 'with --print-config: the block for a crib that is served')
  },
  async run(session, _args, options: Options) {
    if (options.printConfig !== undefined) return printConfig(session, options.printConfig, options)
    if (options.http) throw new UsageError('--http goes with --print-config; HTTP is what serve does anyway.')
    if (options.stdio) return serveOverStdio(session, exposeOf(options))
    return serveOverHttp(session, options)
  },
}

async function printConfig(session: Session, client: string, options: Options): Promise<number> {
  const { httpConfig, stdioConfig } = await import('../client-config.ts')
  const { block, note } = options.http
    ? httpConfig(client, await addressOf(session, options), join(session.root, '.toolcrib/token'))
    : stdioConfig(client, session.root, realpathSync(process.argv[1]!))
  session.out(block)
  session.note(noteStyle.dim(note))
  return 0
}

/** Where clients will find the MCP endpoint, by flags and configuration; nothing needs to run yet. */
async function addressOf(session: Session, { host, port }: Options): Promise<string> {
  const { serve } = (await session.open()).config
  if (serve.publicUrl !== null) return `${serve.publicUrl}/mcp`
  const name = host ?? serve.host
  const number = port === undefined ? serve.port : portOf(port)
  if (number === 0)
    throw new UsageError(
      'Port 0 is another one at every start.',
      'Name a fixed one with --port or serve.port.',
    )
  return `http://${name.includes(':') ? `[${name}]` : name}:${number}/mcp`
}

async function serveOverHttp(session: Session, options: Options): Promise<number> {
  const { serveCrib } = await import('../../http/serve-crib.ts')
  const shared = {
    ...(options.store === undefined ? {} : { store: options.store }),
    ...(options.bus === undefined ? {} : { bus: options.bus }),
  }
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
    for (const line of unattendedNotes(call)) session.note(line)
  })
  const unwatch = watchCalls(crib)
  const served = await serveCrib(crib, {
    expose: exposeOf(options),
    ...(options.host === undefined ? {} : { host: options.host }),
    ...(options.port === undefined ? {} : { port: portOf(options.port) }),
    bootstrap: options.bootstrap !== false,
    ...(options.token === undefined ? {} : { token: tokenOf(options.token) }),
  })
  const tools = crib.list().length
  const { url, mcp, token } = served
  if (session.json)
    session.out(JSON.stringify({ event: 'ready', url, mcp, token: token ?? null, tools, root: session.root }))
  else {
    session.out(
      `Toolcrib is ready: ${url}/${token ? `#token=${token}` : ''}  (${tools} tools, MCP at ${mcp})`,
    )
    session.note(noteStyle.dim('Ctrl-C ends it. For an MCP client: toolcrib serve --print-config claude'))
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

function exposeOf({ expose }: Options): NonNullable<ServeOptions['expose']> {
  if (expose === undefined || expose === 'all' || expose === 'search' || expose === 'code')
    return expose ?? 'all'
  throw new UsageError(`--expose takes all, search or code, not "${expose}".`)
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
