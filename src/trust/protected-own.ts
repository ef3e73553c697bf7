// What Toolcrib itself reads, keeps and runs: settings, pins, keys, state, and its own installation.
import { dirname, join, resolve } from 'node:path'
import type { Config } from '../config/config.ts'
import type { Spaces } from '../config/spaces.ts'
import { isInside } from '../files/is-inside.ts'
import { type ProtectedPlace, place } from './protected-place.ts'
import { signingFolder } from './signing-key.ts'

export function ownPlaces(config: Config, spaces: Spaces): ProtectedPlace[] {
  const { project, state, userConfig, userState, userAi } = spaces
  return [
    place(join(project, 'toolcrib.yaml'), 'it says what tools may do', true),
    place(join(project, 'toolcrib.lock'), 'it says what was approved', true),
    place(join(project, '.ai', 'config', 'keys'), 'keys vouch for tools', true),
    ...['hooks', 'config', 'config.worktree', 'commondir'].map((name) =>
      place(join(project, '.git', name), 'git runs programs that it names', true),
    ),
    place(state, 'the state of the crib is in it', true),
    place(userConfig, "the user's settings and secrets are in it", true),
    place(userState, 'what runs changed and what is set aside is kept in it', true),
    place(signingFolder(userAi), 'the key that vouches for tools is in it', true),
    place(join(userAi, '.env'), 'it holds variables and secrets', true),
    ...storeFiles(config, project),
    ...installation(spaces),
  ]
}

/** Database and key, wherever the settings put them; a database has files beside it. */
function storeFiles(config: Config, project: string): ProtectedPlace[] {
  const isFile = !/^[a-z]+:\/\//.test(config.store)
  const store = resolve(project, config.store)
  const databases = isFile ? ['', '-wal', '-shm', '-journal'].map((end) => store + end) : []
  const key = config.secrets.file
  const keys = key && !key.startsWith('env://') ? [resolve(project, key)] : []
  return [
    ...databases.map((path) => place(path, 'the store of the crib is in it', true)),
    ...keys.map((path) => place(path, 'it is the key of the secrets', true)),
  ]
}

/** This program, and what npm put beside it for it: the next start would run what a tool wrote there. */
function installation({ project, system }: Spaces): ProtectedPlace[] {
  const home = dirname(system)
  const reason = 'Toolcrib itself is run from it'
  const own = ['dist', 'system', 'package.json'].map((name) => place(join(home, name), reason, true))
  const modules: ProtectedPlace[] = []
  for (let at = home; ; at = dirname(at)) {
    modules.push(place(join(at, 'node_modules'), 'Toolcrib loads modules from it', true))
    if (at === dirname(at) || !isInside(dirname(at), project)) break
  }
  const isInProject = isInside(home, project)
  return isInProject && home !== project ? [place(home, reason, true), ...modules] : [...own, ...modules]
}
