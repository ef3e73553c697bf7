// `toolcrib lock`: pins every tool as it is now in toolcrib.lock.
import { driftOfCrib, lockCrib } from '../../trust/lock-crib.ts'
import { askServers } from '../ask-servers.ts'
import type { CliCommand } from '../command.ts'
import { printDrift } from '../print-drift.ts'
import { plain } from '../style.ts'

export const lock: CliCommand = {
  examples: [
    ['toolcrib lock', 'pin every tool, its files and its programs; commit toolcrib.lock'],
    ['toolcrib lock --no-programs', 'leave programs out, for a crib used on several machines'],
    ['toolcrib lock --frozen', 'write nothing; exit 5 when anything differs'],
  ],
  define(command) {
    command.option('--no-programs', 'do not pin the programs that commands start')
  },
  async run(session, _, options) {
    const crib = await session.open()
    if (session.frozen) {
      const { pinned, drifted, unpinned, gone } = await askServers(session, (onWaiting) =>
        driftOfCrib(crib, [], { onWaiting }),
      )
      if (session.json) session.outJson({ pinned, drifted, unpinned, gone })
      else printDrift(session, drifted)
      const count = drifted.length + unpinned.length + gone.length
      session.note(
        count === 0 ? 'Everything is as it was pinned.' : `${count} differences; nothing was written.`,
      )
      return count === 0 ? 0 : 5
    }
    const { pinned, accepted, left } = await askServers(session, (onWaiting) =>
      lockCrib(crib, { programs: options['programs'] !== false, onWaiting }),
    )
    if (session.json) session.outJson({ pinned, drifted: accepted, left })
    else printDrift(session, accepted)
    for (const key of left) session.note(`Not pinned: ${plain(key)}, which is invalid or tampered with.`)
    session.note(`Pinned ${pinned} tool${pinned === 1 ? '' : 's'} in ${crib.lock.file}.`)
    return 0
  },
}
