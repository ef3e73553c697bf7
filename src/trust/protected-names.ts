// Names that protect whatever has them: files that run by themselves on a developer's machine wherever they are, and
// files that steer what the crib reads or loads in the folders on the way to its tools.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type ProtectedPlace, place } from './protected-place.ts'

const selfRunning: { readonly [name: string]: string } = {
  '.git': 'git runs hooks and programs that it names',
  // With `objects` and `refs` beside it the folder is a repository, whose `config` names programs.
  HEAD: 'git would take the folder for a repository and run programs that its settings name',
  '.hg': 'hg runs hooks and programs that it names',
  '.jj': 'jj runs programs that it names',
  '.husky': 'git runs the hooks in it',
  '.pre-commit-config.yaml': 'git runs the hooks it names',
  '.overcommit.yml': 'git runs the hooks it names',
  '.vscode': 'the editor runs tasks it finds there',
  '.idea': 'the editor runs tasks it finds there',
  '.devcontainer': 'the editor runs commands it finds there',
  '.devcontainer.json': 'the editor runs commands it finds there',
  '.zed': 'the editor runs tasks it finds there',
  '.fleet': 'the editor runs commands it finds there',
  '.exrc': 'the editor runs it',
  '.nvim.lua': 'the editor runs it',
  '.nvimrc': 'the editor runs it',
  '.lazy.lua': 'the editor runs it',
  '.lvimrc': 'the editor runs it',
  '.dir-locals.el': 'the editor runs code that it holds',
  '.cargo': 'cargo, which editors start, runs programs that it names',
  '.cursor': 'the editor starts servers it finds there',
  '.windsurf': 'the editor starts servers it finds there',
  '.kiro': 'the editor starts servers it finds there',
  '.trae': 'the editor starts servers it finds there',
  '.junie': 'the editor starts servers it finds there',
  '.roo': 'an agent starts servers it finds there',
  '.continue': 'an agent starts servers it finds there',
  '.codex': 'an agent starts servers it finds there',
  '.gemini': 'an agent starts servers it finds there',
  '.qwen': 'an agent starts servers it finds there',
  '.amazonq': 'an agent starts servers it finds there',
  '.factory': 'an agent starts servers it finds there',
  '.opencode': 'an agent runs plugins it finds there',
  'opencode.json': 'an agent starts the servers it names',
  'opencode.jsonc': 'an agent starts the servers it names',
  'crush.json': 'an agent starts the servers it names',
  '.crush.json': 'an agent starts the servers it names',
  '.envrc': 'direnv runs it',
  '.npmrc': 'npm takes its registry and scripts from it',
  '.yarnrc': 'yarn runs the program it names',
  '.yarnrc.yml': 'yarn runs the program it names',
  '.yarn': 'yarn is started from it',
  '.pnpmfile.cjs': 'pnpm runs it',
  '.pnpmfile.mjs': 'pnpm runs it',
  'bunfig.toml': 'bun loads the modules it names into every program',
  '.pnp.cjs': 'yarn loads it into every program',
  '.pnp.loader.mjs': 'yarn loads it into every program',
  '.pypirc': 'it holds where packages go, with passwords',
}

/** Why a name is protected in any folder; `parent` is the name of the folder it is in. */
export function selfRunningName(name: string, parent: string): string | undefined {
  if (parent === '.claude' && /^settings(\.[^.]+)?\.json$/.test(name))
    return 'an agent runs the hooks it names'
  if (parent === '.config' && /^mise(\.toml)?$/.test(name)) return 'it chooses the interpreter'
  if (/^\.?lefthook(-local)?\.(ya?ml|toml|jsonc?)$/.test(name)) return 'git runs the hooks it names'
  if (name.endsWith('.examples.yaml')) return '`toolcrib test` holds tools to it'
  return Object.hasOwn(selfRunning, name) ? selfRunning[name] : undefined
}

/** Of a repository, its submodules and its work trees: what names programs, and what leads to another such file. */
const gitPrograms =
  /^(?:.*\/)?\.git\/(?:(?:modules|worktrees)\/(?!(?:.*\/)?(?:refs|logs)\/)(?:.*\/)?)?(?:hooks|config|config\.worktree|commondir)(?=\/|$)/

/** The place in a `.git` folder, if a path lies in one, that no grant opens. */
export function gitProgramPlace(path: string): ProtectedPlace | undefined {
  const [found] = gitPrograms.exec(path) ?? []
  return found === undefined ? undefined : place(found, 'git runs programs that it names', true)
}

const inTheWay: { readonly [name: string]: string } = {
  '.gitignore': 'it says which tools are left out',
  '.toolcribignore': 'it says which tools are left out',
  node_modules: 'tools load modules from it',
  '.venv': 'Python is started from it',
  venv: 'Python is started from it',
  '.python-version': 'it chooses the interpreter',
  '.node-version': 'it chooses the interpreter',
  '.nvmrc': 'it chooses the interpreter',
  '.tool-versions': 'it chooses the interpreter',
  'mise.toml': 'it chooses the interpreter',
  '.mise.toml': 'it chooses the interpreter',
  '.mise': 'it chooses the interpreter',
}

/** Why a name is protected in a folder on the way to a tool. */
export function reasonOfName(name: string): string | undefined {
  if (name.startsWith('.env')) return 'it holds variables and secrets'
  return Object.hasOwn(inTheWay, name) ? inTheWay[name] : undefined
}

/** All such places of one folder, existing or not; of `.env` files those that are there, and `.env` itself. */
export function ignoreAndLoadNames(folder: string): ProtectedPlace[] {
  const names = new Set(['.env', ...Object.keys(inTheWay), ...Object.keys(selfRunning)])
  for (const name of entriesOf(folder)) if (name.startsWith('.env')) names.add(name)
  return [...names].map((name) => place(join(folder, name), selfRunning[name] ?? reasonOfName(name)!))
}

/** What runs by itself in a folder that is no part of the crib. */
export function selfRunningPlaces(folder: string): ProtectedPlace[] {
  const ofGit = ['hooks', 'config'].map((name) =>
    place(join(folder, '.git', name), selfRunning['.git']!, true),
  )
  return [...ofGit, ...Object.entries(selfRunning).map(([name, reason]) => place(join(folder, name), reason))]
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
