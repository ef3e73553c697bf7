// The program ends when code that runs inside it hangs: whoever supervises a server starts it again, a client sees
// a closed connection in place of none, and a command does not run for ever. A program that embeds a crib decides for itself, so this is of the program only.
import type { Crib } from '../../crib/crib.ts'
import { haltFile } from '../../fleet/halt.ts'
import { wovenOf } from '../../guards/skills/skill-calls.ts'
import { setWatchdog, Watchdog } from '../../runtimes/skill/watchdog.ts'
import { exitCodeOf } from '../../tool/error-codes.ts'

/** Has the calls of a crib watched; gives back how to stop that. */
export function watchCalls(crib: Crib): () => Promise<void> {
  // Middleware runs within the call it serves.
  const running = () =>
    crib.kernel.running.flatMap((call) => [
      call,
      ...(wovenOf(crib.kernel.compose(call.tool))?.keys ?? []).map(({ tool }) => ({
        id: `${call.id} ${tool.id}`,
        tool,
        limitMs: call.limitMs,
      })),
    ])
  const watchdog = new Watchdog(running, {
    exitCode: exitCodeOf('TIMEOUT'),
    haltFile: haltFile(crib.spaces.state),
  })
  setWatchdog(watchdog)
  return async () => {
    setWatchdog(undefined)
    await watchdog.close()
  }
}
