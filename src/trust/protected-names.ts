// Names that protect whatever has them: files that run by themselves on a developer's machine wherever they are, and
// files that steer what the crib reads or loads in the folders on the way to its tools.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type ProtectedPlace, place } from './protected-place.ts'

const selfRunning: { readonly [name: string]: string } = {
  '.git': 'git runs hooks and programs that it names',
  '.husky': 'git runs the hooks in it',
  '.pre-commit-config.yaml': 'git runs the hooks it names',
  '.vscode': 'the editor runs tasks it finds there',
  '.idea': 'the editor runs tasks it finds there',
  '.devcontainer': 'the editor runs commands it finds there',
  '.cursor': 'the editor starts servers it finds there',
  '.envrc': 'direnv runs it',
  '.npmrc': 'npm takes its registry and scripts from it',
  '.yarnrc': 'yarn runs the program it names',
  '.yarnrc.yml': 'yarn runs the program it names',
  '.pnpmfile.cjs': 'pnpm runs it',
  '.pypirc': 'it holds where packages go, with passwords',
}

/** Why a name is protected in any folder; `parent` is the name of the folder it is in. */
export function selfRunningName(name: string, parent: string): string | undefined {
  if (parent === '.claude' && /^settings(\.[^.]+)?\.json$/.test(name))
    return 'an agent runs the hooks it names'
  if (name.endsWith('.examples.yaml')) return '`toolcrib test` holds tools to it'
  return Object.hasOwn(selfRunning, name) ? selfRunning[name] : undefined
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

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
