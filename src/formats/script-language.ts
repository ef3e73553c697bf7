// Which language a script is written in: its shebang says so, or its ending.
import { basename, extname } from 'node:path'

export type ScriptLanguage = 'python' | 'javascript' | 'typescript' | 'shell' | 'other'

/** The program a shebang names, without its folder, and the words it gets before the script; `env` is looked through. */
export function shebangWords(text: string): readonly string[] {
  const line = /^#!\s*(.+)/.exec(text.slice(0, 300))?.[1]
  const words = line?.trim().split(/\s+/) ?? []
  const at =
    basename(words[0] ?? '') === 'env' ? words.findIndex((word, i) => i > 0 && !/^-|=/.test(word)) : 0
  const [program, ...rest] = at < 0 ? [] : words.slice(at)
  return program === undefined ? [] : [basename(program), ...rest]
}

/** The program a shebang names; of `npx tsx` the one that is fetched. */
export function shebangProgram(text: string): string | undefined {
  const [program, ...rest] = shebangWords(text)
  const fetched = /^(npx|bunx|pnpx)$/.test(program ?? '')
    ? rest.find((word) => !word.startsWith('-'))
    : undefined
  return fetched ?? program
}

export function languageOf(path: string, program: string | undefined): ScriptLanguage {
  if (program !== undefined) {
    if (/^(python|pypy|uv)/.test(program)) return 'python'
    if (/^(node|nodejs|bun)$/.test(program)) return /ts$/.test(path) ? 'typescript' : 'javascript'
    if (/^(tsx|ts-node|deno)$/.test(program)) return 'typescript'
    if (/^(ba|da|z|k)?sh$/.test(program)) return 'shell'
    return 'other'
  }
  const ending = extname(path)
  if (ending === '.py') return 'python'
  if (/^\.[cm]?js$/.test(ending)) return 'javascript'
  if (/^\.[cm]?ts$/.test(ending)) return 'typescript'
  if (/^\.(sh|bash|zsh)$/.test(ending)) return 'shell'
  return 'other'
}
