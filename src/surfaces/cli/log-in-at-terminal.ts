// Logs in to a server with the person at the terminal: because they asked to, or because a call needs it (U4, U5).
import type { Crib } from '../../crib/crib.ts'
import { isPlainObject } from '../../tool/json.ts'
import { isToolError, type ToolErrorData } from '../../tool/tool-error.ts'
import { openBrowser } from './open-browser.ts'
import type { Session } from './session.ts'
import { plain } from './style.ts'

export interface LoginOptions {
  readonly port?: number | undefined
  /** False: the address of the page is only printed. */
  readonly browser?: boolean | undefined
}

/** Opens the page of the identity provider and waits until the person comes back. */
export async function logInAtTerminal(
  session: Session,
  crib: Crib,
  server: string,
  { port, browser = true }: LoginOptions = {},
) {
  return crib.logins.logInTo(server, session.principal, {
    signal: session.signal,
    port,
    show: async (address) => {
      const isOpened = browser && openBrowser(address)
      // Needed also under --quiet, and where the browser does not come up.
      session.fail(isOpened ? `Log in in the browser, or here:\n${address}` : `Log in here:\n${address}`)
      return true
    },
  })
}

/**
 * Offers the log-in that something failed for. True once the person has logged in: then it can be tried again. False
 * where nobody can be asked, or they declined.
 */
export async function logInFor(error: unknown, session: Session, crib: Crib): Promise<boolean> {
  const { code, details, message } = error as Partial<ToolErrorData>
  const server = isPlainObject(details) ? details['server'] : undefined
  if (code !== 'AUTH_REQUIRED' || typeof server !== 'string' || !session.mayAsk || session.yes) return false
  const { confirm } = await import('@clack/prompts')
  const answer = await confirm({
    message: `${plain(String(message))} Log in now?`,
    output: process.stderr,
    signal: session.signal,
  })
  if (answer !== true) return false
  try {
    await logInAtTerminal(session, crib, server)
    return true
  } catch (failure) {
    if (!isToolError(failure)) throw failure
    // What the call itself needs is told afterwards, with the command.
    session.note(plain(failure.message))
    return false
  }
}
