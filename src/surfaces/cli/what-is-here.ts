// What lies in a folder that could become tools, and the command that takes each of it in (D3). Looks, starts nothing.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { homedir, platform } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { cribSkillFolders } from '../../config/skill-paths.ts'
import { clients } from '../clients/clients.ts'
import { serversIn } from '../clients/edit-servers.ts'
import { readClientFile } from '../clients/write-client-file.ts'

export interface Door {
  /** What was found, in words. */
  readonly found: string
  /** What takes it in, as arguments of `toolcrib`. */
  readonly command: readonly string[]
}

const maxEntries = 2_000
const maxNamed = 3

/** Undefined for a folder that is a crib already. */
export function whatIsHere(folder: string, home = homedir()): Door[] | undefined {
  if (existsSync(join(folder, 'toolcrib.yaml')) || existsSync(join(folder, '.ai'))) return undefined
  const names = entriesOf(folder)
  return [
    ...scriptDoors(folder),
    ...packageDoors(folder),
    ...apiDoors(names),
    ...serverDoors(folder, home),
    ...skillDoors(folder),
  ]
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder).slice(0, maxEntries).sort()
  } catch {
    return []
  }
}

/** Names of the scripts that stand right in a folder. */
export function scriptsIn(folder: string): string[] {
  return entriesOf(folder).filter((name) => isScript(join(folder, name)))
}

function scriptDoors(folder: string): Door[] {
  return ['.', 'scripts', 'bin', 'tools'].flatMap((dir): Door[] => {
    const scripts = scriptsIn(join(folder, dir))
    const prefix = dir === '.' ? '' : `${dir}/`
    if (scripts.length > maxNamed)
      return [
        {
          found: `${scripts.length} scripts${dir === '.' ? '' : ` in ${dir}`}`,
          command: ['add', dir === '.' ? '.' : `./${dir}`],
        },
      ]
    return scripts.map((name) => ({
      found: `a script, ${prefix}${name}`,
      command: ['add', `./${prefix}${name}`],
    }))
  })
}

function isScript(file: string): boolean {
  const stat = statSync(file, { throwIfNoEntry: false })
  if (!stat?.isFile() || stat.size > 1_000_000) return false
  if (/\.(py|sh|bash)$/.test(file)) return true
  const mayBe = /\.[cm]?[jt]s$/.test(file) || (!/\.\w+$/.test(file) && (stat.mode & 0o111) !== 0)
  return mayBe && readFileSync(file).subarray(0, 2).toString('latin1') === '#!'
}

/** Programs that a package.json names: those it installs, and those of `npm run`. */
function packageDoors(folder: string): Door[] {
  const { bin, scripts } = manifestOf(folder)
  const programs = typeof bin === 'string' ? [bin] : Object.values(bin ?? {})
  const own = programs.filter((path) => isFileHere(folder, path)).slice(0, maxNamed)
  // What `npm init` writes for `test` only fails.
  const run = Object.entries(scripts ?? {})
    .filter(
      ([name, text]) =>
        !/^(pre|post)|^(prepare|install|start|dev)/.test(name) && !/no test specified/.test(text),
    )
    .map(([name]) => name)
  return [
    ...own.map((path) => ({ found: `a program of package.json, ${path}`, command: ['add', `./${path}`] })),
    ...run.slice(0, maxNamed).map((name) => ({
      found: `a script of package.json, ${name}`,
      command: ['add', '--id', name.replaceAll(':', '-'), '--', 'npm', 'run', '--silent', name],
    })),
  ]
}

interface Manifest {
  readonly bin?: string | { readonly [name: string]: string }
  readonly scripts?: { readonly [name: string]: string }
}

function manifestOf(folder: string): Manifest {
  try {
    return (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest | null) ?? {}
  } catch {
    return {}
  }
}

function isFileHere(folder: string, path: unknown): boolean {
  return typeof path === 'string' && !isAbsolute(path) && existsSync(join(folder, path))
}

function apiDoors(names: readonly string[]): Door[] {
  return names
    .filter((name) => /(openapi|swagger).*\.(json|ya?ml)$/i.test(name))
    .map((name) => ({ found: `the description of an API, ${name}`, command: ['add', `./${name}`] }))
}

/** Servers in files of clients, the folder's own first. */
function serverDoors(folder: string, home: string): Door[] {
  const counted = new Map<string, number>()
  for (const [name, client] of Object.entries(clients)) {
    const files = [...(client.project ? [join(folder, client.project)] : []), client.user(home, platform())]
    for (const file of files) {
      const count = countServers(file, name)
      if (count > 0) counted.set(name, (counted.get(name) ?? 0) + count)
    }
  }
  return [...counted].map(([name, count]) => ({
    found: `${count} MCP server${count > 1 ? 's' : ''} of ${clients[name]!.title}`,
    command: ['add', '--from', name],
  }))
}

function countServers(file: string, name: string): number {
  try {
    const found = serversIn(readClientFile(file), clients[name]!, file)
    return Object.values(found).filter((entry) => entry['type'] !== 'builtin').length
  } catch {
    return 0
  }
}

function skillDoors(folder: string): Door[] {
  const plugins = ['plugin.json', 'marketplace.json']
    .filter((file) => existsSync(join(folder, '.claude-plugin', file)))
    .map((file) => ({
      found: file === 'plugin.json' ? 'a plugin with skills, commands or agents' : 'plugins of a marketplace',
      command: ['list', '--all', '--format', 'skill'],
    }))
  if (plugins.length > 0) return plugins.slice(0, 1)
  return cribSkillFolders
    .map((dir) => ({
      dir,
      count: entriesOf(join(folder, dir)).filter((name) => isSkill(join(folder, dir, name))).length,
    }))
    .filter(({ count }) => count > 0)
    .map(({ dir, count }) => ({
      found: `${count} skill${count > 1 ? 's' : ''} in ${dir}`,
      command: ['list', '--all', '--format', 'skill'],
    }))
}

function isSkill(folder: string): boolean {
  return existsSync(join(folder, 'SKILL.md')) || existsSync(join(folder, 'skill.md'))
}
