// Shows the person at the terminal what a run changed in the files and holds, and asks what of it counts (E9).
import type { Crib } from '../../crib/crib.ts'
import type { Acceptance } from '../../sandbox/changes/decide-held.ts'
import type { Effects } from '../../tool/outcome.ts'
import { diffLines } from './diff-lines.ts'
import type { Session } from './session.ts'
import { plain } from './style.ts'

/** What became of it; undefined: it is decided later. */
export async function decideAtTerminal(
  session: Session,
  crib: Crib,
  runId: string,
): Promise<Effects | undefined> {
  const { changes, diff } = crib.changes(runId)
  for (const line of diffLines(diff)) session.fail(line)
  const paths = changes.map(({ path }) => path)
  const accepted = await ask(session, paths)
  return accepted === undefined ? undefined : await crib.decide(runId, accepted)
}

async function ask({ signal }: Session, paths: readonly string[]): Promise<Acceptance | undefined> {
  const { isCancel, multiselect, select } = await import('@clack/prompts')
  const terminal = { output: process.stderr, signal }
  const answer = await select({
    ...terminal,
    message: 'What becomes of these changes?',
    options: [
      { value: 'all', label: 'Put them in place' },
      ...(paths.length > 1 ? [{ value: 'some', label: 'Choose files' }] : []),
      { value: 'none', label: 'Throw them away' },
      { value: 'later', label: 'Decide later' },
    ],
  })
  if (answer === 'all' || answer === 'none') return answer
  if (answer !== 'some') return undefined
  const options = paths.map((path) => ({ value: path, label: plain(path) }))
  const chosen = await multiselect({ ...terminal, message: 'Which files?', options, required: true })
  return isCancel(chosen) ? undefined : chosen
}
