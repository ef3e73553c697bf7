// `toolcrib undo`: puts back what runs changed in the files (E14).

import { listedChanges } from '../../../sandbox/changes/change-set.ts'
import type { Undone } from '../../../sandbox/changes/undo-runs.ts'
import { ToolError } from '../../../tool/tool-error.ts'
import { type CliCommand, UsageError } from '../command.ts'
import { shortId } from '../effect-lines.ts'
import type { Session } from '../session.ts'
import { sinceOption } from '../since-option.ts'
import { outStyle, plainLine } from '../style.ts'

interface Options {
  readonly since?: string
  readonly session?: string
  readonly merge?: boolean
  readonly force?: boolean
  readonly dryRun?: boolean
}

export const undo: CliCommand = {
  examples: [
    ['toolcrib undo --since 10m', 'everything that runs changed in the last ten minutes'],
    ['toolcrib undo --since 10m --dry-run', 'show it, change nothing'],
    ['toolcrib undo --since 10m --merge', 'keep what you changed since in other lines'],
  ],
  define(command) {
    command
      .argument('[run]', 'the run; a beginning of its id is enough')
      .option('--since <when>', 'all runs since a time, or 30m, 2h, 7d ago')
      .option('--session <id>', 'all runs of an agent session or of a client connection')
      .option('--merge', 'merge where something else changed a file since')
      .option('--force', 'put back also what something else changed since')
      .option('--dry-run', 'show what would be put back')
  },
  async run(session, [run], given) {
    const { since, session: id, merge, force, dryRun } = given as Options
    if (run === undefined && since === undefined && id === undefined)
      throw new UsageError('Say which run to take back, or --since or --session.', 'See `toolcrib runs`.')
    if (merge && force) throw new UsageError('--merge and --force exclude each other.')
    const crib = await session.open()
    const undone = await crib.undo({
      run,
      sinceMs: since === undefined ? undefined : Date.parse(sinceOption(since, Date.now())),
      session: id,
      onConflict: force ? 'overwrite' : merge ? 'merge' : 'refuse',
      dryRun,
    })
    if (session.json) {
      const { set: _, ...answer } = undone
      session.outJson(answer)
      return undone.conflicts.length > 0 ? 1 : 0
    }
    if (undone.conflicts.length > 0) throw conflictError(undone)
    tell(session, undone, dryRun === true)
    return 0
  },
}

function tell(session: Session, { set, restored, changeSet }: Undone, isDry: boolean): void {
  for (const { kind, path } of listedChanges(set.changes)) {
    const word = kind === 'deleted' ? 'removed' : kind === 'created' ? 'restored' : 'put back'
    session.out(`${outStyle.dim(isDry ? 'would be' : '')}${isDry ? ' ' : ''}${word}  ${plainLine(path)}`)
  }
  const files = `${restored} file${restored === 1 ? '' : 's'}`
  if (isDry) session.note(`${files} would be put back.`)
  else if (changeSet === undefined) session.note('There was nothing to put back.')
  else session.note(`${files} put back. Undo this: toolcrib undo ${shortId(changeSet)}`)
}

function conflictError({ conflicts }: Undone): ToolError {
  const named = conflicts.slice(0, 10).map((path) => `  ${plainLine(path)}`)
  return new ToolError(
    'CONFLICT',
    `Changed since by something else, so nothing was put back:\n${named.join('\n')}`,
    {
      hint: '--merge keeps changes in other lines, --force puts back what was there before.',
      details: { paths: [...conflicts] },
    },
  )
}
