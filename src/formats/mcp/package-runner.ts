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
/** Options that name the package, and others that take a word. `-p` of uvx is the interpreter, which is ours. */
const options = {
  npm: { named: ['-p', '--package'], valued: ['--registry', '--cache', '--prefix', '-w', '--workspace'] },
  pypi: {
    named: ['--from', '--spec'],
    valued: [
      '-p',
      '--python',
      '--with',
      '-w',
      '--index',
      '--index-url',
      '-i',
      '--extra-index-url',
      '--pip-args',
    ],
  },
}

/** Undefined for a command that fetches nothing. */
export function packageRunner(command: string, given: readonly string[]): PackageRunner | undefined {
  const program = basename(command).replace(/\.(cmd|exe|ps1)$/i, '')
  if (program === 'cmd' && /^\/c$/i.test(given[0] ?? '')) return packageRunner(given[1] ?? '', given.slice(2))
  const words = npmWords[program] ?? pypiWords[program]
  if (!words || !Object.hasOwn({ ...npmWords, ...pypiWords }, program)) return undefined
  if (words.some((word, index) => given[index] !== word)) return undefined
  const registry = npmWords[program] ? 'npm' : 'pypi'
  const known = options[registry]
  const rest = given.slice(words.length)
  let named: string | undefined
  let at = 0
  for (; at < rest.length; at++) {
    const word = rest[at]!
    const [, option, joined] = /^(--[^=]+)=(.+)$/.exec(word) ?? []
    if (option !== undefined && known.named.includes(option)) named = joined
    else if (known.named.includes(word)) named = rest[++at]
    else if (known.valued.includes(word)) at++
    else if (word === '--') {
      at++
      break
    } else if (!word.startsWith('-')) break
  }
  const first = rest[at]
  if (first === undefined) return undefined
  return {
    registry,
    spec: named ?? first,
    ...(named === undefined ? {} : { bin: first }),
    args: rest.slice(at + 1),
  }
}
