// Programs that lie outside of the crib and are opened by their name, `programs:chromium` (U3d): where people and package
// managers install them. They are shown to be read and started, never to be written.
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

interface NamedProgram {
  readonly folders: readonly string[]
  /** Variables that say where a cache lies, whose folder is in the home folder otherwise. */
  readonly caches: { readonly [variable: string]: string }
}

const programs: { readonly [name: string]: NamedProgram } = {
  chromium: {
    folders: ['/opt/google/chrome', '/opt/chromium', '/opt/chromium.org', '/snap/chromium'],
    caches: {
      PLAYWRIGHT_BROWSERS_PATH: '.cache/ms-playwright',
      PUPPETEER_CACHE_DIR: '.cache/puppeteer',
    },
  },
}

export const namedPrograms = Object.keys(programs)

/** The folders of a program that are there; none for a name that nobody knows. */
export function foldersOfProgram(name: string | undefined): string[] {
  const program = programOf(name)
  return [...(program?.folders ?? []), ...Object.values(cachesOf(program))].filter((path) => existsSync(path))
}

/** What tells a process with a home of its own where the caches are that it may read. */
export function variablesOfPrograms(read: readonly string[]): { [variable: string]: string } {
  const caches = namedPrograms.flatMap((name) => Object.entries(cachesOf(programOf(name))))
  return Object.fromEntries(caches.filter(([, path]) => read.includes(path)))
}

function programOf(name = ''): NamedProgram | undefined {
  return Object.hasOwn(programs, name) ? programs[name] : undefined
}

function cachesOf(program: NamedProgram | undefined): { [variable: string]: string } {
  const given = Object.entries(program?.caches ?? {})
  return Object.fromEntries(given.map(([name, path]) => [name, process.env[name] || join(homedir(), path)]))
}
