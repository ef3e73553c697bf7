// Writes a changed toolcrib.yaml on behalf of a user: the file, the acceptance of exactly that change, and the record.
import type { SettingsEdit } from '../../config/edit-settings.ts'
import type { Crib } from '../../crib/crib.ts'
import { writeAtomic } from '../../files/write-atomic.ts'
import { lineDiff } from '../../sandbox/changes/line-diff.ts'
import type { Principal } from '../../tool/principal.ts'
import { timeId } from '../../tool/time-id.ts'

export interface SettingsOrder {
  readonly edit: SettingsEdit
  /** The dotted key that is changed: the folder asks for it now, and that alone is accepted (G2). */
  readonly key: string
  /** The tools it is for. */
  readonly pattern: string
  readonly principal: Principal
  readonly reason: string
}

export async function saveSettings(crib: Crib, order: SettingsOrder): Promise<void> {
  const { edit, key, pattern, principal, reason } = order
  writeAtomic(edit.file, edit.after, 0o644)
  await crib.reload()
  const asks = crib.folder.unaccepted(crib.asks).filter((ask) => ask.key === key)
  if (asks.length > 0) {
    crib.folder.decide(asks, true)
    await crib.reload()
  }
  recordAllowed(crib, principal, { tool: pattern, reason })
}

/** Keeps the record that somebody changed a file of the crib. */
export function recordAllowed(
  crib: Crib,
  { name, surface }: Principal,
  { tool, reason }: { readonly tool: string; readonly reason: string },
): void {
  const startedAt = new Date().toISOString()
  crib.crumbs.runs.record({ kind: 'allow', runId: timeId(), tool, caller: name, surface, startedAt, reason })
}

/** What goes and what comes, line by line. */
export function changedLines({ before, after }: Pick<SettingsEdit, 'before' | 'after'>): string[] {
  const old = before.split('\n')
  const fresh = after.split('\n')
  return lineDiff(old, fresh).flatMap((hunk) => [
    ...old.slice(hunk.before.from, hunk.before.to).map((line) => `- ${line}`),
    ...fresh.slice(hunk.after.from, hunk.after.to).map((line) => `+ ${line}`),
  ])
}
