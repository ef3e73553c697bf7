// `toolcrib mcp`: the crib as an MCP server on stdin and stdout. Nothing else may be written to stdout.
import type { Expose } from '../../mcp/desk.ts'
import { type CliCommand, UsageError } from '../command.ts'
import { endSoon } from '../end-soon.ts'
import type { Session } from '../session.ts'
import { watchCalls } from '../watch-calls.ts'

export const mcp: CliCommand = {
  examples: [
    ['toolcrib mcp', 'for an MCP client that starts its servers itself'],
    ['toolcrib mcp -C ~/tools --expose search', 'another crib, as three tools that find and call the rest'],
  ],
  define(command) {
    command.option('--expose <what>', 'what clients are offered: all, search or code', 'all')
  },
  run(session, _args, { expose }) {
    if (expose !== 'all' && expose !== 'search' && expose !== 'code')
      throw new UsageError(`--expose takes all, search or code, not "${expose}".`)
    return serveOverStdio(session, expose)
  },
}

export async function serveOverStdio(session: Session, expose: Expose): Promise<number> {
  const { serveStdio } = await import('../../mcp/serve-stdio.ts')
  process.stdin.once('end', endSoon)
  const crib = await session.open()
  // Before anything is answered: the first call may be the one that hangs.
  const unwatch = watchCalls(crib)
  const served = serveStdio(crib, { expose, onError: (error) => session.note(`mcp: ${error.message}`) })
  await crib.watch()
  // The client need not wait for foreign servers; it is told when their tools are there.
  void crib.discover({ isPatient: true })
  session.signal.addEventListener('abort', () => served.close(), { once: true })
  await served.ended
  await unwatch()
  return 0
}
