// `toolcrib login` and `toolcrib logout`: to a foreign server, as the user of this machine (U4).
import { planOf } from '../../../tool/plans/runtime-plans.ts'
import { type CliCommand, UsageError } from '../command.ts'
import { logInAtTerminal } from '../log-in-at-terminal.ts'
import type { Session } from '../session.ts'

export const login: CliCommand = {
  examples: [
    ['toolcrib login github', 'opens the page of its identity provider and waits'],
    ['toolcrib login github --no-browser', 'only prints the address'],
    ['toolcrib login github --port 8765', 'for a client that may send people back to that port only'],
  ],
  define(command) {
    command
      .argument('<server>', 'the MCP server or API, by its name')
      .option('--no-browser', 'only print the address of the page')
      .option('--port <n>', 'the port on 127.0.0.1 that the page sends back to; default: any')
  },
  async run(session, [server], options) {
    const crib = await session.open()
    const report = await logInAtTerminal(session, crib, server!, {
      port: portOf(options['port']),
      browser: options['browser'] !== false,
    })
    if (session.json) session.outJson(report)
    const tools = crib.list().filter((tool) => planOf(tool, 'mcp')?.server.name === report.server).length
    session.note(`Logged in to ${report.server}, which offers ${tools} ${tools === 1 ? 'tool' : 'tools'}.`)
    return 0
  },
}

export const logout: CliCommand = {
  examples: [['toolcrib logout github', 'forgets its tokens and has them revoked']],
  define(command) {
    command.argument('<server>', 'the MCP server or API, by its name')
  },
  async run(session: Session, [server]) {
    const crib = await session.open()
    const { isRevoked, ...report } = await crib.logins.logOutOf(server!, session.principal)
    if (session.json) session.outJson(report)
    session.note(
      isRevoked
        ? `Logged out of ${report.server}.`
        : `Logged out of ${report.server}. Its identity provider did not revoke the tokens; they end there by themselves.`,
    )
    return 0
  },
}

function portOf(given: unknown): number | undefined {
  if (given === undefined) return undefined
  const port = Number(given)
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port
  throw new UsageError(`--port is a number from 1 to 65535, not "${String(given)}".`)
}
