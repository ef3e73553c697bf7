// `toolcrib trust`: accepts what a folder asks for beyond the defaults, after showing it (G2).
import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { adoptAcceptedState } from '../../../config/foreign-state.ts'
import { openCrib } from '../../../crib/open-crib.ts'
import { acceptLock } from '../../../trust/vouched.ts'
import { type CliCommand, UsageError } from '../command.ts'
import { foldersLine, printAsks } from '../folder-question.ts'
import type { Session } from '../session.ts'

export const trust: CliCommand = {
  examples: [
    ['toolcrib trust', 'accepts what this folder asks for: grants, servers, environment'],
    ['toolcrib trust ./cloned', 'another folder'],
    ['toolcrib trust --list', 'folders that were accepted'],
  ],
  define(command) {
    command
      .argument('[dir]', 'the folder; default the crib')
      .option('--list', 'show the folders that were accepted')
  },
  async run(session, [dir], options) {
    await using crib = await openCrib({ root: folderOf(session, dir), trustFolder: false })
    if (options['list']) {
      const { folders } = crib.folder
      if (session.json) session.outJson({ folders })
      else for (const each of folders) session.out(foldersLine(each))
      return 0
    }
    const { asks } = crib
    if (!session.json) printAsks(session, crib)
    crib.folder.decide(asks, true)
    adoptAcceptedState(crib.spaces, process.env, crib.folder)
    acceptLock(crib)
    if (session.json)
      session.outJson({
        folder: crib.root,
        accepted: true,
        asks: asks.map(({ what, file, line }) => ({ what, file, line })),
        root: crib.root,
      })
    if (crib.lock.digest !== null) session.note('What its toolcrib.lock pins counts as your word.')
    session.note(
      asks.length > 0 ? `Accepted ${crib.root}.` : `${crib.root} asks for nothing beyond the defaults.`,
    )
    return 0
  },
}

export const untrust: CliCommand = {
  examples: [['toolcrib untrust', 'what this folder asks for does not count any more']],
  define(command) {
    command.argument('[dir]', 'the folder; default the crib')
  },
  async run(session, [dir]) {
    await using crib = await openCrib({ root: folderOf(session, dir), trustFolder: false })
    const wasKnown = crib.folder.forget()
    const asks = crib.asks.map(({ what, file, line }) => ({ what, file, line }))
    if (session.json) session.outJson({ folder: crib.root, accepted: false, asks, root: crib.root })
    session.note(wasKnown ? `${crib.root} is no longer accepted.` : `${crib.root} was not accepted.`)
    return 0
  },
}

function folderOf(session: Session, dir: string | undefined): string {
  if (dir === undefined) return session.root
  const folder = resolve(dir)
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return folder
  throw new UsageError(`${folder} is no folder.`, 'Name the folder to accept, or leave it out for this crib.')
}
