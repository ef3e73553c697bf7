// Asks a person once whether what a folder asks for shall count (G2), with a plain list of it.
import { relative } from 'node:path'
import type { Crib } from '../../crib/crib.ts'
import { saysYes } from './ask-yes.ts'
import type { Session } from './session.ts'
import { plain } from './style.ts'

/** Asks about what was neither accepted nor declined before; the crib is read again after a yes. */
export async function askAboutFolder(session: Session, crib: Crib): Promise<void> {
  const open = crib.folder.unaccepted(crib.asks).filter((ask) => crib.folder.standingOf(ask) !== 'declined')
  if (open.length === 0) return
  printAsks(session, crib)
  const isAccepted = await saysYes(session, 'Accept it? Only if you know this folder.')
  if (isAccepted === undefined) return session.note('It does not count now.')
  crib.folder.decide(open, isAccepted)
  if (isAccepted) await crib.reload()
  else session.note('It does not count. Accept it later with `toolcrib trust`.')
}

/** What the folder asks for, one line each, with what changed since it was accepted. */
export function printAsks(session: Session, crib: Crib): void {
  const { asks, folder, root } = crib
  if (asks.length === 0) return
  session.fail(`${plain(root)} asks for more than the defaults:`)
  for (const ask of asks) {
    const mark = { accepted: ' ', declined: '-', changed: '~', new: '+' }[folder.standingOf(ask)]
    const place = `${relative(root, ask.file)}${ask.line ? `:${ask.line}` : ''}`
    session.fail(`  ${mark} ${plain(ask.key)}: ${plain(ask.what)} (${plain(place)})`)
  }
}

export function foldersLine({ folder, at, keys }: Crib['folder']['folders'][number]): string {
  return `${plain(folder)}  accepted ${at}: ${keys.map((key) => plain(key)).join(', ')}`
}
