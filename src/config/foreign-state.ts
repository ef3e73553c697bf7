// A state folder that is not the user's own is one of the things a folder asks for (G2). Until it is accepted the crib
// keeps its state in a place of the user's, and says so.
import type { Problem } from '../tool/problem.ts'
import type { Ask } from './folder-asks.ts'
import { type FolderTrust, notAccepted } from './folder-trust.ts'
import type { LoadedConfig } from './load-config.ts'
import { type Spaces, spacesOf } from './spaces.ts'
import { identityOfState, markState, standingOfState, stateFolderOf } from './state-folder.ts'

/** Names a state folder among the things that a folder asks for. */
export const stateKey = '.toolcrib'

/** The spaces of a crib once what the user accepted of its state folder counts. */
export function adoptAcceptedState(spaces: Spaces, env: NodeJS.ProcessEnv, folder: FolderTrust): Spaces {
  const ask = stateAsk(spaces)
  if (!ask || folder.unaccepted([ask]).length > 0) return spaces
  markState(ask.file)
  return spacesOf(spaces.project, env)
}

/** The settings with what a foreign state folder asks for, or with the fault that nobody can accept. */
export function withForeignState(loaded: LoadedConfig, spaces: Spaces, folder: FolderTrust): LoadedConfig {
  const ask = stateAsk(spaces)
  if (ask)
    return {
      ...loaded,
      asks: [...loaded.asks, ask],
      problems: [...loaded.problems, notAccepted(ask, folder.standingOf(ask))],
    }
  const problem = unusableState(spaces)
  return problem
    ? { ...loaded, problems: [...loaded.problems, problem], fault: loaded.fault ?? problem }
    : loaded
}

function stateAsk({ project, state }: Spaces): Ask | undefined {
  const file = stateFolderOf(project)
  if (state === file || standingOfState(file) !== 'foreign') return undefined
  return {
    key: stateKey,
    what: 'the tokens, records, schedules and packages in .toolcrib/, which were not made here',
    file,
    digest: identityOfState(file),
  }
}

function unusableState({ project, state }: Spaces): Problem | undefined {
  const file = stateFolderOf(project)
  const standing = state === file ? 'own' : standingOfState(file)
  if (standing === 'own' || standing === 'foreign') return undefined
  return {
    code: 'state-foreign',
    severity: 'error',
    message:
      standing === 'link'
        ? '.toolcrib is a link or a file, not a folder.'
        : '.toolcrib belongs to another user.',
    hint: 'Remove it; the next command makes a new one. No tool runs until this is fixed.',
    file,
  }
}
