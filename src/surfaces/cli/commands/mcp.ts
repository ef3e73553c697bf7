// `toolcrib mcp`: the crib as an MCP server on stdin and stdout. Nothing else may be written to stdout.
import { type Expose, exposures } from '../../../config/config.ts'
import type { StdioOptions } from '../../mcp/serve-stdio.ts'
import { type CliCommand, UsageError } from '../command.ts'
import { endSoon } from '../end-soon.ts'
import type { Session } from '../session.ts'
import { watchCalls } from '../watch-calls.ts'

export const mcp: CliCommand = {
  examples: [
    ['toolcrib mcp', 'for an MCP client that starts its servers itself'],
    ['toolcrib mcp -C ~/tools --expose search', 'another crib, as three tools that find and call the rest'],
    ['toolcrib mcp --offer notes', 'only the tools of the offer "notes" of toolcrib.yaml'],
  ],
  define(command) {
    command
      .option(
        '--expose <what>',
        'how tools are offered: all, search or code (default: as the offer says, all)',
      )
      .option('--offer <name>', 'only the tools of this offer of toolcrib.yaml')
  },
  run(session, _args, { expose, offer }: { expose?: string; offer?: string }) {
    return serveOverStdio(session, { expose: exposureOf(expose), offer })
  },
}

/** The value of --expose. */
export function exposureOf(given: string | undefined): Expose | undefined {
  const known = exposures.find((one) => one === given)
  if (given === undefined || known) return known
  throw new UsageError(`--expose takes all, search or code, not "${given}".`)
}

export async function serveOverStdio(
  session: Session,
  options: Pick<StdioOptions, 'expose' | 'offer'>,
): Promise<number> {
  const { serveStdio } = await import('../../mcp/serve-stdio.ts')
  process.stdin.once('end', endSoon)
  // D19: a person who typed this waits for an answer that never comes.
  if (process.stdin.isTTY)
    session.note(
      'Waiting for an MCP client on standard input; Ctrl-C ends it.\nTo set one up: toolcrib connect <client>',
    )
  const crib = await session.open()
  // Before anything is answered: the first call may be the one that hangs.
  const unwatch = watchCalls(crib)
  const served = serveStdio(crib, { ...options, onError: (error) => session.note(`mcp: ${error.message}`) })
  await crib.watch()
  // The client need not wait for foreign servers; it is told when their tools are there.
  crib.discover({ isPatient: true }).catch((error: Error) => session.note(`mcp: ${error.message}`))
  session.signal.addEventListener('abort', () => served.close(), { once: true })
  await served.ended
  await unwatch()
  return 0
}
