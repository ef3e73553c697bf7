// Starts what reacts to events in a served crib, with the rights of whoever wrote each breadcrumb.
import type { Crib } from '../../crib/crib.ts'
import type { Tokens } from './tokens.ts'

const againMs = 2_000
const maxDurationMs = 30_000

/** What reacts, as the server holds it. */
export interface StartedEngines {
  /** Takes nothing new, and gives back what is not done in time. */
  stop(): Promise<void>
}

/**
 * A store that cannot be used leaves the tools callable; what is wrong is told, and asking for crumbs gives 503.
 * A store or bus on another machine is tried again until it answers.
 */
export async function startEngines(
  crib: Crib,
  tokens: Tokens,
  options: { readonly bootstrap?: boolean; readonly url: string },
): Promise<StartedEngines> {
  let isStopped = false
  let timer: NodeJS.Timeout | undefined
  const isRemote = /:\/\//.test(crib.config.store)
  const attempt = async (delayMs: number): Promise<void> => {
    try {
      const engines = await crib.startEngines({
        bootstrap: options.bootstrap !== false,
        tokens,
      })
      engines.member.serves(options.url)
      if (delayMs > againMs) crib.emit('note', { level: 'info', message: 'Reacting to breadcrumbs now.' })
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      const next = isRemote ? ` Trying again in ${delayMs / 1000} s.` : ''
      crib.emit('note', { level: 'error', message: `Nothing reacts to breadcrumbs: ${message}${next}` })
      if (!isRemote || isStopped) return
      timer = setTimeout(() => {
        starting = attempt(Math.min(delayMs * 2, maxDurationMs))
      }, delayMs)
      timer.unref()
    }
  }
  let starting = attempt(againMs)
  await starting
  return {
    async stop() {
      isStopped = true
      clearTimeout(timer)
      await starting
      await crib.crumbs.stop()
    },
  }
}
