// `toolcrib approve`: shows how a tool differs from what was approved, or what another tool wrote, and accepts it.
import { ToolError } from '../../../tool/tool-error.ts'
import { approvalOf } from '../../trust/lock-crib.ts'
import { saysYes } from '../ask-yes.ts'
import type { CliCommand } from '../command.ts'
import { printDrift } from '../print-drift.ts'

export const approve: CliCommand = {
  examples: [
    ['toolcrib approve text/count', 'shows what changed, asks, accepts'],
    ['toolcrib approve text/count --yes', 'accepts without asking'],
    ['toolcrib approve .ai/config/limits.yaml', 'accepts a file of settings that a tool wrote'],
  ],
  define(command) {
    command.argument('<ref>', 'the tool to accept as it is now, or a file that a tool wrote')
  },
  async run(session, [ref]) {
    const crib = await session.open()
    const { what, entries, accept } = await approvalOf(crib, ref!)
    if (!session.json) printDrift(session, entries)
    if (session.mayAsk && !session.yes && !(await saysYes(session, `Accept ${what} as it is now?`)))
      throw new ToolError('APPROVAL_DENIED', `${what} was not approved.`)
    const accepted = await accept()
    if (session.json) session.outJson({ pinned: crib.lock.report().pinned, drifted: accepted })
    session.note(`Approved ${what} as it is now.`)
    return 0
  },
}
