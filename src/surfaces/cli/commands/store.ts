// `toolcrib store copy`: moves everything a crib remembers to another store, and proves that it arrived.
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { hidePassword } from '../../../config/hide-password.ts'
import { type CopyEnd, copyStore } from '../../../store/copy-store.ts'
import { hasCode, isStoreFault } from '../../../store/store-error.ts'
import { ToolError } from '../../../tool/tool-error.ts'
import { type CliCommand, UsageError } from '../command.ts'
import type { Session } from '../session.ts'
import { columns } from '../style.ts'

export const store: CliCommand = {
  examples: [
    ['toolcrib store copy --to postgres://crib@db/crib', 'the embedded store of this crib to PostgreSQL'],
    ['toolcrib store copy --from postgres://crib@db/crib --to crib.db', 'and back'],
  ],
  define(command) {
    command
      .argument('<action>', 'copy')
      .option('--from <where>', 'file or postgres://… (default: store)')
      .option('--to <where>', 'file or postgres://…; must be empty')
  },
  async run(session, [action], options: { from?: string; to?: string }) {
    if (action !== 'copy')
      throw new UsageError(`There is no "store ${action}".`, 'Use `toolcrib store copy --to <store>`.')
    if (!options.to) throw new UsageError('--to names the store to copy to.')
    const from = options.from ?? (await session.open()).config.store
    try {
      const report = await copy(session, from, options.to)
      if (session.json) session.outJson({ from: hidePassword(from), to: hidePassword(options.to), ...report })
      else {
        const rows = report.tables.map(({ name, rows: count, sha256 }) => [
          name,
          String(count),
          sha256.slice(0, 16),
        ])
        for (const line of columns(rows, 0)) session.out(line)
        session.note(
          'Copied; counts and checksums agree. Stop the nodes of the old store before you start new ones.',
        )
      }
      return 0
    } catch (error) {
      const isTaken = hasCode(error, 'STORE_NOT_EMPTY')
      if (!isTaken && !isStoreFault(error)) throw error
      throw new ToolError(isTaken ? 'CONFLICT' : 'UPSTREAM_FAILED', error.message, { hint: error.hint })
    }
  },
}

async function copy(session: Session, from: string, to: string) {
  const source = await openEnd(session, from, true)
  try {
    const target = await openEnd(session, to, false)
    try {
      return await copyStore(source, target)
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}

async function openEnd(session: Session, where: string, mustExist: boolean): Promise<CopyEnd> {
  if (/^postgres(ql)?:\/\//i.test(where))
    return (await import('../../../store/postgres/copy-end.ts')).openPostgresEnd(where)
  const file = resolve(session.root, where)
  if (mustExist && !existsSync(file))
    throw new ToolError('CONFIG_INVALID', `There is no store ${file}.`, {
      hint: 'Name it with --from, or use the crib once so that it has one.',
    })
  return (await import('../../../store/sqlite/copy-end.ts')).openSqliteEnd(file)
}
