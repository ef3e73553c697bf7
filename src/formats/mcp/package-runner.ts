// Commands that fetch a package and run it: `npx -y @scope/server`, `pnpm dlx`, `bunx`, `uvx`, `pipx run`.
import { basename } from 'node:path'

export interface PackageRunner {
  readonly registry: 'npm' | 'pypi'
  /** Name with version or tag, as written. */
  readonly spec: string
  /** The program of the package to start, where the command names one. */
  readonly bin?: string
  /** What the program gets. */
  readonly args: readonly string[]
}

const npmWords: { readonly [program: string]: readonly string[] } = {
  npx: [],
  pnpx: [],
  bunx: [],
  pnpm: ['dlx'],
  yarn: ['dlx'],
  npm: ['exec'],
  bun: ['x'],
}
const pypiWords: { readonly [program: string]: readonly string[] } = {
  uvx: [],
  pipx: ['run'],
  uv: ['tool', 'run'],
}
const packageOptions = /^(-p|--package|--from)$/

/** Undefined for a command that fetches nothing. */
export function packageRunner(command: string, given: readonly string[]): PackageRunner | undefined {
  const program = basename(command).replace(/\.(cmd|exe|ps1)$/i, '')
  if (program === 'cmd' && /^\/c$/i.test(given[0] ?? '')) return packageRunner(given[1] ?? '', given.slice(2))
  const words = npmWords[program] ?? pypiWords[program]
  if (!words || !Object.hasOwn({ ...npmWords, ...pypiWords }, program)) return undefined
  if (words.some((word, index) => given[index] !== word)) return undefined
  const rest = given.slice(words.length)
  let named: string | undefined
  let at = 0
  for (; at < rest.length; at++) {
    const word = rest[at]!
    const joined = /^(?:--package|--from)=(.+)$/.exec(word)?.[1]
    if (joined !== undefined) named = joined
    else if (packageOptions.test(word)) named = rest[++at]
    else if (word === '--') {
      at++
      break
    } else if (!word.startsWith('-')) break
  }
  const first = rest[at]
  if (first === undefined) return undefined
  return {
    registry: npmWords[program] ? 'npm' : 'pypi',
    spec: named ?? first,
    ...(named === undefined ? {} : { bin: first }),
    args: rest.slice(at + 1),
  }
}
