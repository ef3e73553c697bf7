// The three places definitions come from, and where the crib keeps its own state.
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { nearestRealPath } from '../files/real-path.ts'
import { sha256 } from '../tool/json.ts'
import { standingOfState, stateFolderOf } from './state-folder.ts'

export interface Spaces {
  /** The crib's root folder. */
  readonly project: string
  /** The user's home folder: what `~` means in settings. */
  readonly home: string
  /** The user's `.ai` folder. */
  readonly userAi: string
  /** What ships with Toolcrib, laid out like an `.ai` folder. */
  readonly system: string
  /** `.toolcrib/` of this crib: database, caches, socket, token. One that is not the user's own: a place that is. */
  readonly state: string
  /** The user's configuration folder: config.yaml, secrets, key file. */
  readonly userConfig: string
  /** Where what belongs to this user on this machine is kept and no project is: what files held before calls changed them. */
  readonly userState: string
}

/** Finds the spaces of a crib; `USER_SPACE` and `XDG_CONFIG_HOME` move the user's. */
export function spacesOf(root: string, env: NodeJS.ProcessEnv = process.env): Spaces {
  const home = env['HOME'] || homedir()
  return {
    project: root,
    home,
    userAi: join(env['USER_SPACE'] || home, '.ai'),
    system: systemSpace(),
    state: stateOf(root, env),
    userConfig: join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'toolcrib'),
    userState: userState(env),
  }
}

function stateOf(root: string, env: NodeJS.ProcessEnv): string {
  const state = stateFolderOf(root)
  const isWhole = (env['TOOLCRIB_TRUST_FOLDER'] ?? process.env['TOOLCRIB_TRUST_FOLDER']) === '1'
  if (isWhole || standingOfState(state) === 'own') return state
  return join(userState(env), 'cribs', sha256(nearestRealPath(root)).slice(0, 16))
}

/** Where what belongs to this user on this machine is kept and no project is: `XDG_STATE_HOME` moves it. */
export function userState(env: NodeJS.ProcessEnv = process.env): string {
  return join(env['XDG_STATE_HOME'] || join(env['HOME'] || homedir(), '.local', 'state'), 'toolcrib')
}

/** A path of settings with `~` read as the home folder. */
export function fromHome(path: string, { home }: Pick<Spaces, 'home'>): string {
  return path === '~' || path.startsWith('~/') ? join(home, path.slice(1)) : path
}

let found: string | undefined

/** The shipped `system/` folder, next to `package.json`, whether run from `src/` or `dist/`. */
export function systemSpace(): string {
  if (found) return found
  let dir = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(dir, 'system', 'tools')) && dirname(dir) !== dir) dir = dirname(dir)
  found = join(dir, 'system')
  return found
}
