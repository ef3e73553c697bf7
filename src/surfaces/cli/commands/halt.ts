// `toolcrib halt` and `toolcrib resume`: the emergency stop. A file says it, so no server has to answer (G25).
import { spacesOf } from '../../../config/spaces.ts'
import { Halt } from '../../../fleet/halt.ts'
import { messageOf } from '../../../tool/tool-error.ts'
import type { CliCommand } from '../command.ts'
import type { Session } from '../session.ts'

export const halt: CliCommand = {
  examples: [
    ['toolcrib halt', 'stops every call, worker, schedule and subscription, on all nodes'],
    ['toolcrib resume', 'lets the crib go on'],
  ],
  define() {},
  async run(session) {
    const by = session.principal.name
    // At once, before anything of the crib is read: broken settings must not keep anybody from stopping it.
    const { since } = await haltHere(session).set(by)
    const isTold = await tellNodes(session, by, since)
    if (session.json) session.outJson({ halted: true, since, root: session.root })
    session.note(`${session.root} is halted. Let it go on with \`toolcrib resume\`.`)
    return isTold ? 0 : 7
  },
}

export const resume: CliCommand = {
  examples: [['toolcrib resume', 'after toolcrib halt']],
  define() {},
  async run(session) {
    const crib = await session.open()
    const { halted } = await crib.halt.look()
    await crib.halt.lift()
    if (session.json) session.outJson({ halted: false })
    session.note(halted ? `${session.root} goes on.` : `${session.root} was not halted.`)
    return 0
  },
}

function haltHere(session: Session): Halt {
  return new Halt({ state: spacesOf(session.root).state, shared: () => null })
}

/** Where nodes share a database they read it there; false when that cannot be reached. */
async function tellNodes(session: Session, by: string, since?: string): Promise<boolean> {
  try {
    const crib = await session.open()
    const { isShared } = await crib.halt.set(by, since)
    if (isShared) return true
    session.fail('error: the database that the nodes share cannot be reached; only this machine is halted.')
  } catch (error) {
    session.fail(`error: the settings cannot be read, so only this machine is halted: ${messageOf(error)}`)
  }
  return false
}
