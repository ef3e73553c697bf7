// `toolcrib diff`: what changed since it was approved, with the risk of each change.
import { driftOfCrib } from '../../trust/lock-crib.ts'
import { askServers } from '../ask-servers.ts'
import type { CliCommand } from '../command.ts'
import { printDrift } from '../print-drift.ts'
import { problemLines } from '../print-problems.ts'
import { plain } from '../style.ts'

export const diff: CliCommand = {
  examples: [
    ['toolcrib diff', 'every tool that differs from toolcrib.lock'],
    ['toolcrib diff text/count', 'one tool'],
    ['toolcrib diff --frozen', 'for a build server; exit 5 when anything differs'],
  ],
  define(command) {
    command.argument('[ref...]', 'only these tools; default all of the crib')
  },
  async run(session, refs) {
    const crib = await session.open()
    const report = await askServers(session, (onWaiting) => driftOfCrib(crib, refs, { onWaiting }))
    const { drifted, unpinned, gone, locked, problem } = report
    if (session.json) session.outJson(report)
    else printDrift(session, drifted)
    if (problem) for (const line of problemLines([problem])) session.note(line)
    if (!locked && !problem) session.note('There is no toolcrib.lock yet. Make it with `toolcrib lock`.')
    else if (locked) {
      for (const key of unpinned) session.note(`Not pinned: ${plain(key)}`)
      for (const key of gone) session.note(`Pinned and gone: ${plain(key)}`)
      if (drifted.length === 0) session.note('No tool differs from what was approved.')
    }
    if (problem) return 5
    return session.frozen && (!locked || drifted.length + unpinned.length + gone.length > 0) ? 5 : 0
  },
}
