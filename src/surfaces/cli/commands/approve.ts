// `toolcrib approve`: shows how a tool differs from what was approved, and accepts it.
import { createInterface } from 'node:readline/promises'
import { ToolError } from '../../../tool/tool-error.ts'
import { approvalOf, approveTool } from '../../trust/lock-crib.ts'
import type { CliCommand } from '../command.ts'
import { printDrift } from '../print-drift.ts'
import type { Session } from '../session.ts'

export const approve: CliCommand = {
  examples: [
    ['toolcrib approve text/count', 'shows what changed, asks, accepts'],
    ['toolcrib approve text/count --yes', 'accepts without asking'],
  ],
  define(command) {
    command.argument('<ref>', 'the tool to accept as it is now')
  },
  async run(session, [ref]) {
    const crib = await session.open()
    const { tool, offer } = await approvalOf(crib, ref!)
    if (!session.json) printDrift(session, offer.entries)
    if (session.mayAsk && !session.yes && !(await isWanted(session, tool.id)))
      throw new ToolError('APPROVAL_DENIED', `${tool.id} was not approved.`)
    const accepted = approveTool(crib, tool, offer)
    if (session.json) session.outJson({ pinned: crib.lock.report().pinned, drifted: accepted })
    session.note(`Approved ${tool.id} as it is now.`)
    return 0
  },
}

async function isWanted(session: Session, id: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const answer = await terminal.question(`Accept ${id} as it is now? [y/N] `, { signal: session.signal })
    return /^y(es)?$/i.test(answer.trim())
  } finally {
    terminal.close()
  }
}
